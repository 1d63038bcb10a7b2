"""Runs one command and says what it cost, as the kernel counts it.

In: a command. Out: CPU seconds, wall seconds and peak resident memory of it and of all children it waited
for. A command that fails is an error: the cost of a crash is no measurement.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Cost:
    """What one run cost. CPU is user plus system time.

    The peak is never below that of this process when it starts the child: the kernel hands it on over exec.
    """

    cpu_s: float
    wall_s: float
    peak_bytes: int


def cost_of(command: list[str], extra_env: dict[str, str]) -> Cost:
    """Runs `command` in an empty folder that goes afterwards.

    `{out}` in an argument becomes a path in that folder. Output goes nowhere, unless the command fails.
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
        said = Path(folder, "said")
        with said.open("wb") as sink:
            started = time.monotonic()
            pid = os.posix_spawn(
                sys.executable,
                command,
                env,
                file_actions=[
                    (os.POSIX_SPAWN_DUP2, sink.fileno(), 1),
                    (os.POSIX_SPAWN_DUP2, sink.fileno(), 2),
                ],
            )
            # The usage of this child with its descendants; RUSAGE_CHILDREN would mix it with earlier ones.
            _, status, usage = os.wait4(pid, 0)
            wall = time.monotonic() - started
        if status != 0:
            code = os.waitstatus_to_exitcode(status)
            raise RuntimeError(f"{' '.join(command)}: exit code {code}\n{said.read_text()[-2000:]}")
        return Cost(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss * 1024)
