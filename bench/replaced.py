"""Whether the guard replaces workers of a service that leaks without a request that fails.

A service keeps some memory with each request of one endpoint, under a limit that it would meet soon. Clients
ask all the time, and look at each answer. A line says how many were answered and failed, how many workers
were replaced, and the most memory that was in use. Celery gets tasks, and Redis counts their ends.

`--limit` is what the guard is told; without the guard (`--alone`) nothing keeps the service below it. With
`--cgroup` the guard is told nothing: all runs in a memory cgroup (version 1) that has this limit, which root
may make, and the kernel kills what goes beyond it.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from service_load import SERVICES, START_S, Tasks, started

KEEP_BYTES = 40_000
LOOK_S = 0.2
MEMORY = Path("/sys/fs/cgroup/memory")
# Joins the group that it is told and becomes the program.
JOIN = """
import os, sys
open(sys.argv[1] + "/cgroup.procs", "w").write(str(os.getpid()))
os.execv(sys.executable, [sys.executable, *sys.argv[2:]])
"""


def resident(pid: int) -> int:
    """Anonymous and shared memory of a process and all below it, in bytes; Nilometer's is left out."""
    total = 0
    with contextlib.suppress(OSError):
        for thread in Path(f"/proc/{pid}/task").iterdir():
            total += sum(resident(int(child)) for child in (thread / "children").read_text().split())
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith(("RssAnon:", "RssShmem:")):
                total += int(line.split()[1]) * 1024
    return total


class Peak:
    """Looks at the memory of a program until it is told to end."""

    def __init__(self, pid: int) -> None:
        self.bytes = 0
        self._pid = pid
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._look)
        self._thread.start()

    def end(self) -> None:
        self._ends.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._ends.wait(LOOK_S):
            self.bytes = max(self.bytes, resident(self._pid))


@contextlib.contextmanager
def group(limit: str) -> Iterator[Path]:
    """A memory cgroup below ours with this limit, and how often the kernel killed in it."""
    own = next(line for line in Path("/proc/self/cgroup").read_text().splitlines() if ":memory:" in line)
    folder = MEMORY / own.split(":")[2].lstrip("/") / f"replaced-{os.getpid()}"
    folder.mkdir()
    try:
        (folder / "memory.limit_in_bytes").write_text(limit)
        yield folder
    finally:
        while (folder / "cgroup.procs").read_text():
            time.sleep(0.05)
        folder.rmdir()


def told(folder: Path) -> str:
    """What the kernel says of a group."""
    kills = (folder / "memory.oom_control").read_text().split()[-1]
    most = int((folder / "memory.max_usage_in_bytes").read_text()) / 2**20
    return f"    the group: at most {most:.0f} MiB with pages of files, {kills} killed"


def run(name: str, args: argparse.Namespace) -> None:
    with contextlib.ExitStack() as stack:
        own = stack.enter_context(group(args.limit)) if args.cgroup else None
        serve(name, args, own)


def serve(name: str, args: argparse.Namespace, own: Path | None) -> None:
    folder = tempfile.mkdtemp(prefix="replaced-")
    limit = [] if own else ["--limit", args.limit]
    guard = [] if args.alone else ["-m", "nilometer", "guard", *limit, "--quiet"]
    guard = ["-c", JOIN, str(own), *guard] if own else guard
    with started(name, guard, folder, KEEP_BYTES=str(args.keep_bytes)) as (process, load):
        peak = Peak(process.pid)
        time.sleep(args.seconds)
        load.end()
        answered = load.answered.total()
        peak.end()
        process.terminate()
        code = process.wait(START_S)
    said = (Path(folder) / "log").read_text(errors="replace")
    print(
        f"{name}: {answered} answered, {load.failed} failed, exit {code}; "
        f"{said.count(' is asked to finish ')} asked, {said.count(' has ended, and ')} replaced; "
        f"most in use {peak.bytes / 2**20:.0f} MiB"
    )
    if own:
        print(told(own))
    if isinstance(load, Tasks):
        print(f"    {load.put} tasks were put, {load.put - answered} did not end")
    if args.log:
        print(said)
    sys.stdout.flush()
    shutil.rmtree(folder)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("services", nargs="*", choices=[*SERVICES, []], help="default: all")
    parser.add_argument("--seconds", type=float, default=90, help="of load (default 90)")
    parser.add_argument("--limit", default="300M", help="what the guard is told (default 300M)")
    parser.add_argument("--keep-bytes", type=int, default=KEEP_BYTES, help=f"default {KEEP_BYTES}")
    parser.add_argument("--cgroup", action="store_true", help="a memory cgroup has the limit")
    parser.add_argument("--alone", action="store_true", help="without the guard")
    parser.add_argument("--log", action="store_true", help="print what was said")
    args = parser.parse_args()
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    for name in args.services or SERVICES:
        run(name, args)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
