"""Whether kills and reloads of a service lose a record: what its clients counted, and what its captures say.

Under load a worker is killed (`kill -9`) and the service is reloaded (HUP), some times each; then it is asked
to stop. The clients count the answers that they got in full, by endpoint. A table says how many requests all
captures have, and of how many they know the endpoint.

A server counts a request when the function that handles it returns, shortly after its answer was sent. So a
capture of a killed worker may differ by the requests that it had at hand, and no other may.
"""

from __future__ import annotations

import argparse
import collections
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from service_load import SERVICES, START_S, command_of, started, wait_until, workers

NILOMETER = ["-m", "nilometer", "run", "--children", "--quiet", "--no-live", "-o", "x.{pid}.nilo"]
# The numbers of the units in a capture, `docs/capture-format.md`.
SERVED, TASK = 11, 12
# A part of a route that is filled in, in the words of each framework.
CONVERTER = re.compile(r"<[^>]*>|\{[^}]*\}")
PAUSE_S = 1.5
PAGE, UNIT, FIRST = 4096, 65536, 32


def program_of(supervisor: int) -> int:
    """What `nilometer run` has started; it has forked a helper besides, with its own command."""
    children = Path(f"/proc/{supervisor}/task/{supervisor}/children").read_text().split()
    return next(int(pid) for pid in children if command_of(int(pid)) != command_of(supervisor))


def disturb(master: int, times: int, choose: random.Random) -> tuple[set[int], int]:
    """Kills workers and reloads the service, in turn; gives who was killed and how often it was reloaded."""
    killed = set()
    reloads = 0
    for _ in range(times):
        wait_until(lambda: len(workers(master)) >= 2)
        time.sleep(PAUSE_S)
        killed.add(pid := choose.choice(workers(master)))
        os.kill(pid, signal.SIGKILL)
        time.sleep(PAUSE_S)
        # Celery starts itself anew, and ends by a second HUP until it has started.
        wait_until(lambda: len(workers(master)) >= 2)
        time.sleep(PAUSE_S)
        before = set(workers(master))
        os.kill(master, signal.SIGHUP)
        reloads += 1
        wait_until(lambda: not before & set(workers(master)))  # noqa: B023
    time.sleep(PAUSE_S)
    return killed, reloads


def number(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def counted(path: Path, unit: int) -> tuple[int, Counter[str]]:
    """Requests that a capture has, and those of which it says the endpoint; by the page of the format."""
    data = path.read_bytes()
    names: dict[tuple[int, int], str] = {}
    totals: dict[tuple[int, int], int] = {}
    for base in range(PAGE, len(data), UNIT):
        if data[base : base + 8] != b"\x93segment":
            continue
        (pid,) = struct.unpack_from("<I", data, base + 12)
        at = base + FIRST
        while at + 4 <= min(base + UNIT, len(data)):
            (word,) = struct.unpack_from("<I", data, at)
            if word == 0:
                break
            kind, length = word >> 24 & 0x7F, word & 0xFFFFFF
            payload = data[at + 4 : at + 4 + length]
            if word >> 31 and kind in (27, 28):
                _, here = number(payload, 0)
                first, here = number(payload, here)
                if kind == 27:
                    _, here = number(payload, here)
                    size, here = number(payload, here)
                    names[pid, first] = payload[here : here + size].decode()
                else:
                    for _ in range(first):
                        id_, here = number(payload, here)
                        totals[pid, id_], here = number(payload, here)
            at += (4 + length + 7) // 8 * 8
    known: Counter[str] = collections.Counter()
    for key, total in totals.items():
        known[CONVERTER.sub("*", names.get(key, "?"))] += total
    return struct.unpack_from("<Q", data, 64 + 8 * unit)[0], known


def run(name: str, times: int, keep: Path | None) -> None:
    folder = tempfile.mkdtemp(prefix="killed-")
    with started(name, NILOMETER, folder) as (process, load):
        try:
            time.sleep(4)
            master = program_of(process.pid)
            killed, reloads = disturb(master, times, random.Random(1))
        finally:
            load.end()
        answered, by_process = load.answered, load.by_process
        process.terminate()
        code = process.wait(START_S)
    tell(name, Path(folder), (answered, by_process, load.failed), (killed, reloads, code))
    if keep:
        shutil.copytree(folder, keep / name, dirs_exist_ok=True)
    shutil.rmtree(folder)


def tell(
    name: str,
    folder: Path,
    said: tuple[Counter[str], Counter[int], int],
    done: tuple[set[int], int, int],
) -> None:
    killed, reloads, code = done
    answered, by_process, failed = said
    captures = sorted(folder.glob("*.nilo"))
    total, known = 0, collections.Counter[str]()
    faults, missing = [], []
    for path in captures:
        own, of_endpoints = counted(path, TASK if name == "celery" else SERVED)
        total += own
        known += of_endpoints
        pid = int(path.suffixes[0][1:])
        if own != (answered_by := by_process.pop(pid, 0)):
            missing.append(f"{path.name} has {own} of {answered_by}{', killed' if pid in killed else ''}")
        report = subprocess.run(
            [sys.executable, "-m", "nilometer", "report", str(path), "--format", "json"], capture_output=True
        )
        if report.returncode or b'"losses":[]' not in report.stdout.replace(b" ", b"").replace(b"\n", b""):
            faults.append(path.name)
    print(
        f"{name}: {len(killed)} kills, {reloads} reloads, exit {code}; answered {answered.total()}, failed "
        f"{failed}; {len(captures)} captures have {total}, by endpoint {known.total()}; faults {faults}"
    )
    missing += [f"no capture of {pid}, {number} answered" for pid, number in by_process.items()]
    if missing:
        print("    differ: " + "; ".join(missing))
    for endpoint in sorted(answered | known):
        print(f"    {endpoint}: answered {answered[endpoint]}, recorded {known[endpoint]}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("services", nargs="*", choices=[*SERVICES, []], help="default: all")
    parser.add_argument("--times", type=int, default=10, help="kills, and as many reloads (default 10)")
    parser.add_argument("--keep", type=Path, help="copy the captures and logs here")
    args = parser.parse_args()
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    for name in args.services or SERVICES:
        run(name, args.times, args.keep)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
