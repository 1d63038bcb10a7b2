"""Forks with busy threads, pools of all kinds, exec; no child hangs, sees us, or writes as its parent."""

from __future__ import annotations

import sys

import pytest
from harm_bench import PROGRAMS, Bench


@pytest.mark.parametrize("forks", [40, pytest.param(150, marks=pytest.mark.slow)])
def test_forks_with_busy_threads(bench: Bench, forks: int) -> None:
    ran = bench.same(PROGRAMS / "forks.py", str(forks))
    assert ran.stdout == "True\nTrue\n"
    assert len({sample.pid for sample in bench.samples()}) == 1


def test_pools_and_subprocesses(bench: Bench) -> None:
    bench.same(PROGRAMS / "pools.py")
    assert len({sample.pid for sample in bench.samples()}) == 1


def test_children_with_captures_of_their_own(bench: Bench) -> None:
    """The pools again, with every child recorded; what they compute and return is the same."""
    program = bench.folder / "pool.py"
    program.write_text(
        "import multiprocessing as m, subprocess, sys\n"
        "def f(x): return sum(len(bytes(n)) for n in range(x))\n"
        "if __name__ == '__main__':\n"
        "    for how in ['fork', 'spawn', 'forkserver']:\n"
        "        with m.get_context(how).Pool(2) as p: print(p.map(f, range(1000, 1010)))\n"
        "    print(subprocess.run([sys.executable, '-c', 'print(len(bytes(10**7)))'], capture_output=True))\n"
    )
    plain = bench.run(sys.executable, program)
    nilometer = (sys.executable, "-m", "nilometer", "run", "--sample", "1K", "--max-overhead", "50")
    watched = bench.run(*nilometer, "--children", "-o", "x.{pid}.nilo", program)
    assert (watched.code, watched.stdout) == (plain.code, plain.stdout), watched
    assert len(list(bench.folder.glob("x.*.nilo"))) > 1, watched
