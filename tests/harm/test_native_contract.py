"""The C library's promises hold under the recorder: sizes, alignment, contents, errno, float flags."""

from __future__ import annotations

import sys

import pytest
from harm_bench import PROGRAMS, Bench

NATIVE = PROGRAMS / "native.py"


@pytest.mark.parametrize(
    "call",
    [
        "errno_is_kept(20000)",
        "floats_are_kept(20000)",
        "refusals()",
        "alignments()",
        "realloc_storm(50000)",
        "mappings(3000)",
        "deep_stack(50000)",
    ],
)
def test_nothing_is_broken(bench: Bench, call: str) -> None:
    ran = bench.same(NATIVE, "contract", call)
    assert ran.stdout == f"{call.partition('(')[0]} 0\n", ran


def test_libraries_that_come_and_go(bench: Bench) -> None:
    ran = bench.same(NATIVE, "modules", "open_and_close('libleaf.so',300,3)")
    assert ran.stdout == "open_and_close 0\n", ran


def test_python_objects(bench: Bench) -> None:
    ran = bench.same(PROGRAMS / "objects.py")
    assert "too deep" in ran.stdout
    assert {sample.source for sample in bench.samples()} >= {"malloc", "python"}


def test_frames_of_python(bench: Bench) -> None:
    """A chunk that was kept is as good as a new one, and the kernel is asked for fewer."""
    program = PROGRAMS / "frames.py"
    bench.same(program)
    # As seldom sampled as can be: the capture's own pages count as well.
    watched = bench.same(program, options=("--sample", "64M", "--no-census", "-q"), sampled=False)
    plain = bench.run(sys.executable, program)
    if sys.version_info >= (3, 11):
        assert int(watched.stderr.split()[0]) < int(plain.stderr.split()[0]) / 2, f"{watched}\n{plain}"
