"""Real memory limits: who ended the program is named."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli_bench import COMMAND, Bench

EATS = """
kept = []
while True:
    kept.append(bytearray(4 << 20))
"""

# As a worker of a service: it keeps some memory with each turn, beside so many objects.
SERVES = """
import sys, nilometer
beside = [{number: [number]} for number in range(int(sys.argv[1]))]
kept = []
for number in range(40):
    kept.append([{number: str(number)} for _ in range(500)])
    nilometer.cycle()
nilometer.census()
print(len(kept))
"""


def exit_of(bench: Bench) -> dict[str, object]:
    done = bench.report(bench.captures()[0].name, "--format", "json")
    found: dict[str, object] = json.loads(done.stdout)["program"]["exit"]
    return found


@pytest.fixture
def cgroup_v1() -> Iterator[Path]:
    """A group with a limit of 200 MiB, below our own."""
    own = [
        line.split(":", 2)[2]
        for line in Path("/proc/self/cgroup").read_text().split("\n")
        if ":memory:" in line
    ]
    if not own:
        pytest.skip("no memory controller of cgroups version 1")
    group = Path(f"/sys/fs/cgroup/memory{own[0]}/nilometer-test-{os.getpid()}")
    try:
        group.mkdir()
        (group / "memory.limit_in_bytes").write_text(str(200 << 20))
    except OSError as error:
        pytest.skip(f"a control group cannot be made here: {error}")
    try:
        yield group
    finally:
        with contextlib.suppress(OSError):
            group.rmdir()


def test_a_cgroups_limit(bench: Bench, cgroup_v1: Path) -> None:
    join = f"echo $$ > {cgroup_v1}/cgroup.procs"
    done = bench.watched(bench.script(EATS), before=join)
    assert done.returncode == -9
    assert exit_of(bench)["signal"] == 9
    assert (exit_of(bench)["oom_killed"], exit_of(bench)["limit"]) == (True, "cgroup")
    assert b"200" in done.stderr
    assert b"cgroup" in done.stderr


def test_an_innocent_kill_in_a_limited_cgroup(bench: Bench, cgroup_v1: Path) -> None:
    join = f"echo $$ > {cgroup_v1}/cgroup.procs"
    script = bench.script("import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    done = bench.watched(script, before=join)
    assert done.returncode == -9
    assert not exit_of(bench)["oom_killed"]


@pytest.mark.parametrize(("beside", "is_looked"), [(20_000, True), (300_000, False)])
def test_a_look_in_a_small_group(bench: Bench, cgroup_v1: Path, beside: int, is_looked: bool) -> None:
    """One that fits into what is left is done; one that might not is left out. Neither ends the program."""
    join = f"echo $$ > {cgroup_v1}/cgroup.procs"
    done = bench.watched(bench.script(SERVES), str(beside), before=join)
    assert (done.returncode, done.stdout) == (0, b"40\n"), done.stderr
    assert (b"too little memory was left to look" not in done.stderr) == is_looked, done.stderr
    assert (b"kept[*]" in done.stderr) == is_looked, done.stderr
    assert b"LEAK" in done.stderr


def test_the_limit_of_the_address_space(bench: Bench) -> None:
    # Small steps, so that the peak comes near the limit before the failure.
    done = bench.run(
        [*COMMAND, "run", bench.script("import time\n" + EATS + "    time.sleep(0.005)\n")],
        before="ulimit -v 1200000",
    )
    assert done.returncode == 1
    assert b"MemoryError" in done.stderr
    assert (exit_of(bench)["oom_killed"], exit_of(bench)["limit"]) == (True, "rlimit")


def test_a_failure_of_another_kind_under_a_limit(bench: Bench) -> None:
    done = bench.run([*COMMAND, "run", bench.script("raise ValueError")], before="ulimit -v 4000000")
    assert done.returncode == 1
    assert not exit_of(bench)["oom_killed"]


def test_python_is_the_one_that_is_limited(bench: Bench) -> None:
    script = bench.script("import resource; print(resource.getrlimit(resource.RLIMIT_AS)[0])")
    done = bench.run([*COMMAND, "run", script], before="ulimit -v 4000000")
    assert int(done.stdout) == 4000000 * 1024
