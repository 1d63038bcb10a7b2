"""However a program ends while its threads allocate: it ends so, and as fast, under the recorder."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest
from harm_bench import DENSE, PROGRAMS, Bench, wait_for

WAYS = [
    "falls_off",
    "sys_exit",
    "os_exit",
    "raises",
    "abort",
    "terminated",
    "segfault",
    "c_exit",
    "execs",
    "thread_execs",
]


@pytest.mark.parametrize("way", WAYS)
def test_a_way_to_end(bench: Bench, way: str) -> None:
    bench.same(PROGRAMS / "ends.py", way)


@pytest.mark.slow
@pytest.mark.parametrize("way", ["falls_off", "os_exit", "c_exit", "execs"])
def test_a_way_to_end_again_and_again(bench: Bench, way: str) -> None:
    """Races at the end show now and then only."""
    plain = bench.run(sys.executable, PROGRAMS / "ends.py", way)
    for _ in range(25):
        watched = bench.watched(PROGRAMS / "ends.py", way)
        assert (watched.code, watched.stdout) == (plain.code, plain.stdout), watched


@pytest.mark.parametrize("kept", [1, 7, 40])
def test_killed(bench: Bench, kept: int) -> None:
    """`kill -9`: every block whose birth was told by the program is in the capture, alive."""
    told = bench.folder / "told"
    with told.open("w") as sink:
        command = [sys.executable, "-m", "nilometer", "run", *DENSE, "-f", "-o", bench.capture]
        watched = subprocess.Popen(
            [*command, PROGRAMS / "keeps.py", str(kept)],
            stdin=subprocess.PIPE,
            stdout=sink,
            stderr=subprocess.PIPE,
            cwd=bench.folder,
        )
        while wait_for(told).count("\n") < kept + 1:
            pass
        os.kill(int(told.read_text().split()[0]), signal.SIGKILL)
        _, screen = watched.communicate(timeout=60)
    assert watched.returncode == -9, screen
    large = {sample.size for sample in bench.samples() if sample.size > 64 << 20 and not sample.dead}
    assert large >= {(64 << 20) + number * 4096 + 13 for number in range(1, kept + 1)}, screen
    report = bench.run(sys.executable, "-m", "nilometer", "report", bench.capture, "--format", "json")
    assert report.code == 0, report
