"""CPython's own tests have the same outcomes under the recorder as without.

A test that does not agree is run again both ways, as some of them fail now and then by themselves; what
counts is a disagreement that comes back.
"""

from __future__ import annotations

import importlib.util
import json
import sys

import pytest
from harm_bench import PROGRAMS, Bench

OUTCOMES = PROGRAMS.parent / "outcomes.py"
FAST = ["test_gc", "test_fork1", "test_mmap"]
LONG = [
    "test_threading",
    "test_multiprocessing_fork",
    "test_multiprocessing_spawn",
    "test_multiprocessing_forkserver",
    "test_subprocess",
    "test_signal",
    "test_ctypes",
    "test_posix",
    "test_os",
    "test_thread",
    "test_concurrent_futures",
    "test_tracemalloc",
    "test_faulthandler",
    "test_sys_setprofile",
    "test_generators",
    "test_frame",
    "test_interpreters",
]
HALF_AN_HOUR = 1800


def outcomes(bench: Bench, module: str, *, watched: bool) -> dict[str, str]:
    out = bench.folder / f"{'watched' if watched else 'plain'}.json"
    args = (OUTCOMES, out, module)
    if watched:
        ran = bench.watched(*args, options=(), patience=HALF_AN_HOUR)
    else:
        ran = bench.run(sys.executable, *args, patience=HALF_AN_HOUR)
    assert ran.code == 0, ran
    (bench.folder / f"{out.stem}.txt").write_text(str(ran))
    found: dict[str, str] = json.loads(out.read_text())
    return found


def has(module: str) -> bool:
    name = "_test_multiprocessing" if module.startswith("test_multiprocessing_") else module
    return (
        importlib.util.find_spec("test") is not None and importlib.util.find_spec(f"test.{name}") is not None
    )


@pytest.mark.parametrize("module", [*FAST, *(pytest.param(name, marks=pytest.mark.slow) for name in LONG)])
def test_outcomes(bench: Bench, module: str) -> None:
    if not has(module):
        pytest.skip(f"this Python comes without test.{module}")
    differing: set[str] = set()
    for turn in range(3):
        plain = outcomes(bench, module, watched=False)
        watched = outcomes(bench, module, watched=True)
        assert len(plain) > 3
        differ = {name for name in plain.keys() | watched.keys() if plain.get(name) != watched.get(name)}
        differing = differ if turn == 0 else differing & differ
        if not differing:
            return
    wrong = {name: (plain.get(name), watched.get(name)) for name in sorted(differing)}
    pytest.fail(
        f"differs three times (plain, watched): {wrong}\n{(bench.folder / 'watched.txt').read_text()}"
    )
