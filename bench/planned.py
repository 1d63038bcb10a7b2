"""Plans against real runs: is the measured peak in the interval, and how wide is that.

    python bench/planned.py                          all models at three batches
    python bench/planned.py --only mlp lstm --batches 256

In: `workloads/trainings.py`, models of twelve kinds. Out: a row per model and batch, and the share that was
covered. The real run is the same script without any tool; its peak is `ru_maxrss`, as the kernel counts it.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from measure import cost_of

TRAININGS = Path(__file__).parent / "workloads" / "trainings.py"
MODELS = ["mlp", "cnn", "lstm", "transformer", "gru", "autoencoder", "conv1d", "deep_cnn"]
MODELS += ["resnet", "unet", "embedding", "wide_mlp"]
MIB = 1 << 20


def planned(model: str, batch: int) -> dict[str, object]:
    """The plan as JSON."""
    with tempfile.TemporaryDirectory(prefix="bench-plan-") as folder:
        words = [
            "-m",
            "nilometer",
            "plan",
            "--budget",
            "2h",
            "--format",
            "json",
            "-o",
            f"{folder}/out",
            TRAININGS.name,
        ]
        done = subprocess.run(
            [sys.executable, *words, model, str(batch)],
            cwd=TRAININGS.parent,
            capture_output=True,
            text=True,
        )
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{model} {batch}: {done.stderr}")
    plan: dict[str, object] = json.loads(done.stdout)
    return plan


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", choices=MODELS, default=MODELS)
    parser.add_argument("--batches", nargs="+", type=int, default=[64, 128, 256])
    parser.add_argument("--runs", type=int, default=1, help="real runs of each")
    words = parser.parse_args()
    print("model         batch   planned (MiB)         ±     measured (MiB)   covered")
    covered, told, refused = 0, 0, 0
    for batch in words.batches:
        for model in words.only:
            plan = planned(model, batch)
            script = [sys.executable, str(TRAININGS), model, str(batch)]
            peaks = [cost_of(script, {}).peak_bytes for _ in range(words.runs)]
            measured = " ".join(str(peak // MIB) for peak in peaks)
            peak = plan["peak"]
            if not isinstance(peak, dict):
                refused += 1
                print(f"{model:12} {batch:6}   refused: {plan['sentence']}; measured {measured}", flush=True)
                continue
            low, high, estimate = (peak[name] for name in ("low", "high", "estimate"))
            inside = sum(low <= one <= high for one in peaks)
            covered, told = covered + inside, told + len(peaks)
            share = 100 * (high - low) / 2 / estimate
            print(
                f"{model:12} {batch:6}   {estimate // MIB:5} ({low // MIB:5} to {high // MIB:5})"
                f"  {share:4.1f} %   {measured:>16}   {inside} of {len(peaks)}",
                flush=True,
            )
    print(f"covered {covered} of {told}; refused {refused} plans")


if __name__ == "__main__":
    main()
