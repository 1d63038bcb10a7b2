"""Runs one command and says what it cost, as the kernel counts it.

In: a command. Out: CPU seconds, wall seconds and memory of it and of all children it waited for. A command
that fails is an error: the cost of a crash is no measurement.
"""

from __future__ import annotations

import os
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

# How often memory is looked at from outside. A look costs this process some 0.1 ms, the measured one nothing.
LOOK_S = 0.05


@dataclass(frozen=True)
class Cost:
    """What one run cost. CPU is user plus system time.

    `peak_bytes` is that of the largest process, and never below that of this process when it starts the
    child: the kernel hands it on over exec. `anonymous_bytes` is the most RssAnon of any process at any look.
    """

    cpu_s: float
    wall_s: float
    peak_bytes: int
    anonymous_bytes: int
    said: str

    @property
    def training_s(self) -> float | None:
        """CPU seconds of the process in its `fit`, where the workload says them."""
        words = [line.split() for line in self.said.splitlines()]
        told = [word[1] for word in words if len(word) == 2 and word[0] == "training"]
        return float(told[-1]) if told else None


def cost_of(command: list[str], extra_env: dict[str, str]) -> Cost:
    """Runs `command` in an empty folder that goes afterwards.

    `{out}` in an argument becomes a path in that folder.
    """
    env = {
        **os.environ,
        "KERAS_BACKEND": "tensorflow",
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "CUDA_VISIBLE_DEVICES": "-1",
        **extra_env,
    }
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        command = [word.replace("{out}", f"{folder}/out") for word in command]
        said, errors = Path(folder, "said"), Path(folder, "errors")
        with said.open("wb") as sink, errors.open("wb") as error_sink:
            started = time.monotonic()
            pid = os.posix_spawnp(
                command[0],
                command,
                env,
                file_actions=[
                    (os.POSIX_SPAWN_DUP2, sink.fileno(), 1),
                    (os.POSIX_SPAWN_DUP2, error_sink.fileno(), 2),
                ],
            )
            watch = Watch(pid)
            # The usage of this child with its descendants; RUSAGE_CHILDREN would mix it with earlier ones.
            _, status, usage = os.wait4(pid, 0)
            wall = time.monotonic() - started
            watch.end()
        if status != 0:
            code = os.waitstatus_to_exitcode(status)
            raise RuntimeError(f"{' '.join(command)}: exit code {code}\n{errors.read_text()[-2000:]}")
        cpu = usage.ru_utime + usage.ru_stime
        return Cost(cpu, wall, usage.ru_maxrss * 1024, watch.anonymous_bytes, said.read_text())


class Watch:
    """Looks at the RssAnon of a process and its descendants until it is ended."""

    def __init__(self, pid: int) -> None:
        self.anonymous_bytes = 0
        self._pid = pid
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look)
        self._thread.start()

    def end(self) -> None:
        self._ended.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._ended.wait(LOOK_S):
            for pid in [self._pid, *descendants(self._pid)]:
                self.anonymous_bytes = max(self.anonymous_bytes, anonymous_bytes(pid))


def descendants(pid: int) -> list[int]:
    found = []
    for listed in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children = [int(word) for word in listed.read_text().split()]
        except OSError:
            continue
        for child in children:
            found += [child, *descendants(child)]
    return found


def anonymous_bytes(pid: int) -> int:
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    line = next((line for line in status.splitlines() if line.startswith("RssAnon:")), None)
    return int(line.split()[1]) * 1024 if line else 0
