"""Runs one command in a memory cgroup of its own, below that of this process, and looks at it from outside.

In: a command and a limit in bytes, or none. Out: exit code, output, the most memory that the kernel cannot
take back, and how many processes the kernel killed. Where no cgroup can be made, the program's anonymous and
shared memory is looked at, and nothing is limited here. The cgroup goes when the command has ended.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import shlex
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from measure import descendants

# How often memory is looked at. A peak that is shorter may be missed.
LOOK_S = 0.02
# The kernel may need a moment until a cgroup whose last process has ended can go.
GONE_WITHIN_S = 5.0
BLOCK_BYTES = 1 << 20
_numbers = itertools.count(1)


@dataclass(frozen=True)
class Run:
    """What one run did. `exit_code` is None where it did not end in time."""

    exit_code: int | None
    stdout: str
    stderr: str
    peak_bytes: int
    kills: int
    wall_s: float


class Group:
    """A cgroup of version 1 or 2."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._is_old = (folder / "memory.limit_in_bytes").exists()

    @classmethod
    def make(cls) -> Group | None:
        """A new one below our own, so that no limit around us is left; None where that is not allowed."""
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            if controllers not in ("", "memory"):
                continue
            root = "/sys/fs/cgroup/memory" if controllers else "/sys/fs/cgroup"
            folder = Path(root + path, f"bench-{os.getpid()}-{next(_numbers)}")
            with contextlib.suppress(OSError):
                folder.mkdir()
                if (folder / "memory.limit_in_bytes").exists() or (folder / "memory.max").exists():
                    return cls(folder)
                folder.rmdir()
        return None

    @property
    def procs(self) -> str:
        return str(self._folder / "cgroup.procs")

    def limit(self, size: int) -> None:
        name = "memory.limit_in_bytes" if self._is_old else "memory.max"
        (self._folder / name).write_text(str(size))
        if not self._is_old:
            with contextlib.suppress(OSError):
                (self._folder / "memory.swap.max").write_text("0")

    def used(self) -> int:
        """Bytes that the kernel cannot take back: all but pages of files."""
        stat = self._words("memory.stat")
        if self._is_old:
            usage = int((self._folder / "memory.usage_in_bytes").read_text())
            return usage - stat.get("total_cache", 0) + stat.get("total_shmem", 0)
        usage = int((self._folder / "memory.current").read_text())
        return usage - stat.get("file", 0) + stat.get("shmem", 0)

    def kills(self) -> int:
        return self._words("memory.oom_control" if self._is_old else "memory.events").get("oom_kill", 0)

    def remove(self) -> None:
        """Ends what is left in it, and removes it."""
        until = time.monotonic() + GONE_WITHIN_S
        while time.monotonic() < until:
            for pid in Path(self.procs).read_text().split():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(pid), 9)
            with contextlib.suppress(OSError):
                self._folder.rmdir()
                return
            time.sleep(LOOK_S)

    def _words(self, name: str) -> dict[str, int]:
        lines = (line.split() for line in (self._folder / name).read_text().splitlines())
        return {line[0]: int(line[1]) for line in lines if len(line) == 2}


def run(
    command: list[str], folder: Path, limit: int | None, patience_s: float, read_before: Path | None = None
) -> Run:
    """Runs `command` in `folder` for `patience_s` at most; its cgroup has read the file `read_before`."""
    group = Group.make()
    if group is not None and limit is not None:
        group.limit(limit)
    if group is not None:
        fill = f"cat {shlex.quote(str(read_before))} > /dev/null &&" if read_before is not None else ""
        command = ["sh", "-c", f'echo $$ > "$0" && {fill} exec "$@"', group.procs, *command]
    quiet = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1", "PYTHONHASHSEED": "0"}
    env = {"KERAS_BACKEND": "tensorflow", "MPLBACKEND": "agg", **os.environ, **quiet}
    out, err = folder / "stdout", folder / "stderr"
    began, peak, code = time.monotonic(), 0, None
    try:
        with out.open("wb") as stdout, err.open("wb") as stderr:
            process = subprocess.Popen(command, cwd=folder, env=env, stdout=stdout, stderr=stderr)
            while (code := process.poll()) is None and time.monotonic() - began < patience_s:
                peak = max(peak, group.used() if group is not None else of_tree(process.pid))
                time.sleep(LOOK_S)
            wall = time.monotonic() - began
            if code is None:
                process.kill()
                process.wait()
        kills = group.kills() if group is not None else 0
    finally:
        if group is not None:
            group.remove()
    said = (path.read_text(errors="replace") for path in (out, err))
    return Run(code, *said, peak, kills, wall)


def file_of(size: int, path: Path) -> Path:
    """A file of which no page is in memory: whoever reads it is charged for its pages."""
    with path.open("wb") as file:
        for _ in range(-(-size // BLOCK_BYTES)):
            file.write(bytes(BLOCK_BYTES))
        file.flush()
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    return path


def of_tree(pid: int) -> int:
    """Anonymous and shared memory of a process and its descendants."""
    total = 0
    for one in [pid, *descendants(pid)]:
        with contextlib.suppress(OSError):
            for line in Path(f"/proc/{one}/status").read_text().splitlines():
                if line.startswith(("RssAnon:", "RssShmem:")):
                    total += int(line.split()[1]) << 10
    return total
