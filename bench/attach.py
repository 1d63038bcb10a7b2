"""Attaches to hostile programs again and again, and counts what must not happen.

    python bench/attach.py [--times 125] [--python PATH ...] [--kind KIND ...]
    python bench/attach.py --whole --times 5      the command itself, recording for a second each time

For each Python and each kind of program: how many of the scripts that were sent ran, how long the program
stood still (median, 99th percentile, most), how often its main thread was woken out of a system call,
whether it ended by itself with its own exit code, and what it says of itself (`attach_target.py`). Needs
`cargo build --release -p nilometer-attach --example attach_probe`.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROBE = HERE.parent / "target/release/examples/attach_probe"
KINDS = ["busy", "waits", "forks", "sleeps", "joined", "asyncio", "calls", "signals"]
OF_PACKAGES = ["fit", "gthread"]  # need Keras, and gunicorn
CLEAN = "{'early': 0, 'child': 0, 'sum': 0, 'error': 0}"
OWN_CODE = 3


def quantile(numbers: list[int], share: float) -> int:
    return sorted(numbers)[min(len(numbers) - 1, int(len(numbers) * share))] if numbers else 0


def started(python: str, kind: str, stop: Path) -> tuple[subprocess.Popen[str], str]:
    """A program at work, and the process to attach to; it ends when the file `stop` is there."""
    target = subprocess.Popen(
        [python, str(HERE / "attach_target.py"), kind, str(stop)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert target.stdout is not None
    word, pid = target.stdout.readline().split()
    assert word == "ready"
    return target, pid


def one(python: str, kind: str, times: int) -> tuple[bool, list[int]]:
    """Attaches to one program; whether all was well, and the pauses in microseconds."""
    with tempfile.TemporaryDirectory() as folder:
        stop, script, out = (Path(folder, name) for name in ("stop", "script.py", "out"))
        script.write_text(f"with open({str(out)!r}, 'a') as file:\n    file.write('x')\n")
        target, pid = started(python, kind, stop)
        command = [str(PROBE), pid, str(script), str(times), "7"]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, check=False, timeout=30 + times * 5
            )
            told = done.stdout
        except subprocess.TimeoutExpired as error:
            told = str(error.stdout)
        stop.touch()
        try:
            said, _ = target.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            target.kill()
            said = "HANGS\n"
        ran = len(out.read_text()) if out.exists() else 0
    stops = [int(one) for one in re.findall(r"stop_us=(\d+)", told)]
    wakes = [int(one) for one in re.findall(r"wake_us=(\d+) wakes=[1-9]", told)]
    took = [int(one) for one in re.findall(r"took_us=(\d+)", told)]
    refused = re.findall(r"refused (.*)", told)
    taken = told.count("taken=Some(true)")
    sent = told.count("woken=Sent")
    good = (
        target.returncode == OWN_CODE
        and said.strip().splitlines()[-1:] == [CLEAN]
        and taken == ran == times - len(refused)
    )
    print(
        f"{kind:8} {ran:5}/{times} ran, {len(refused)} refused, exit {target.returncode},"
        f" stood {quantile(stops, 0.5)}/{quantile(stops, 0.99)}/{quantile(stops, 1)} us,"
        f" woken {len(wakes)} ({sent} sent) "
        f"{quantile(wakes, 0.5)}/{quantile(wakes, 0.99)}/{quantile(wakes, 1)} us,"
        f" took {quantile(took, 0.5) / 1000:.1f}/{quantile(took, 1) / 1000:.1f} ms"
        f"{'' if good else '  WRONG: ' + said.strip()[-300:] + ' ' + str(set(refused))}",
        flush=True,
    )
    return good, stops


def whole(python: str, kind: str, times: int) -> bool:
    """Attaches with the command itself, and detaches; whether the program was as it would have been."""
    with tempfile.TemporaryDirectory() as folder:
        stop = Path(folder, "stop")
        target, pid = started(python, kind, stop)
        words = ["attach", pid, "-q", "-f", "-o", str(Path(folder, "a.nilo")), "--for", "1s"]
        command = [sys.executable, "-m", "nilometer", *words]
        codes, wrong = [], ""
        for _ in range(times):
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
            codes.append(done.returncode)
            wrong = wrong if done.returncode == 0 else done.stderr
        stop.touch()
        try:
            said, _ = target.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            target.kill()
            said = "HANGS\n"
    good = target.returncode == OWN_CODE and said.strip() == CLEAN and not any(codes)
    print(
        f"{kind:8} {codes.count(0):5}/{times} recorded, exit {target.returncode}"
        f"{'' if good else '  WRONG: ' + said.strip()[-300:] + wrong}",
        flush=True,
    )
    return good


def main() -> int:
    """Runs all of it; 1 if anything was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=125, help="attaches for each Python and kind")
    parser.add_argument("--python", nargs="+", default=[sys.executable])
    parser.add_argument("--kind", nargs="+", default=KINDS, choices=KINDS + OF_PACKAGES)
    parser.add_argument("--whole", action="store_true", help="the command itself, not the pending call alone")
    options = parser.parse_args()
    good = True
    for python in options.python:
        if options.whole:
            print(python)
            good &= all([whole(python, kind, options.times) for kind in options.kind])
            continue
        pauses: list[int] = []
        for kind in options.kind:
            was_good, stops = one(python, kind, options.times)
            good &= was_good
            pauses += stops
        print(
            f"{python}: {len(pauses)} attaches, stood {quantile(pauses, 0.5)} us median,"
            f" {quantile(pauses, 0.99)} us p99, {quantile(pauses, 1)} us most",
            flush=True,
        )
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
