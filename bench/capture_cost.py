"""What a capture of the MLP takes: bytes after import and per epoch; time and memory of its report."""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

from measure import cost_of

WORKLOADS = Path(__file__).parent / "workloads"
EPOCHS = (0, 10, 20, 40)


def record(folder: str, name: str, *program: str) -> Path:
    capture = Path(folder, f"{name}.nilo")
    cost_of([sys.executable, "-m", "nilometer", "run", "-o", str(capture), *program], {})
    return capture


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=7, help="reports that are timed (default 7)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        capture = record(folder, "import", str(WORKLOADS / "import_tensorflow.py"))
        print(f"{'import tensorflow':<20}{capture.stat().st_size / 2**20:8.2f} MiB")
        before = 0
        for epochs in EPOCHS:
            capture = record(folder, f"mlp{epochs}", str(WORKLOADS / "mlp.py"), str(epochs))
            size = capture.stat().st_size
            print(f"{f'MLP, {epochs} epochs':<20}{size / 2**20:8.2f} MiB {(size - before) / 2**20:+8.2f}")
            before = size
        costs = [
            cost_of([sys.executable, "-m", "nilometer", "report", str(capture)], {})
            for _ in range(options.runs)
        ]
        for name, values in (
            ("report: CPU s", [cost.cpu_s for cost in costs]),
            ("report: wall s", [cost.wall_s for cost in costs]),
            ("report: peak RSS MiB", [cost.peak_bytes / 2**20 for cost in costs]),
            ("report: RssAnon MiB", [cost.anonymous_bytes / 2**20 for cost in costs]),
        ):
            print(f"{name:<24}{statistics.median(values):8.2f} ({min(values):.2f} to {max(values):.2f})")


if __name__ == "__main__":
    main()
