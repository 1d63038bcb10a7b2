"""Signals: handlers in Python that allocate, handlers in C that map memory in the middle of malloc."""

from __future__ import annotations

import pytest
from harm_bench import PROGRAMS, Bench

SIGALRM, SIGPROF = 14, 27
ITIMER_REAL, ITIMER_PROF = 0, 2


@pytest.mark.parametrize(("name", "timer"), [("SIGALRM", "ITIMER_REAL"), ("SIGPROF", "ITIMER_PROF")])
def test_python_handlers(bench: Bench, name: str, timer: str) -> None:
    bench.same(PROGRAMS / "python_signals.py", name, timer, "200")


@pytest.mark.parametrize(("signal", "timer"), [(SIGALRM, ITIMER_REAL), (SIGPROF, ITIMER_PROF)])
@pytest.mark.parametrize("signals", [300, pytest.param(5000, marks=pytest.mark.slow)])
def test_a_handler_that_maps_memory(bench: Bench, signal: int, timer: int, signals: int) -> None:
    ran = bench.same(PROGRAMS / "native.py", "signals", f"storm({signal},{timer},200,{signals})")
    assert ran.stdout == "storm 0\n"


@pytest.mark.parametrize("kib", [16, 64])
def test_a_handler_on_a_stack_of_its_own(bench: Bench, kib: int) -> None:
    ran = bench.same(PROGRAMS / "native.py", "signals", f"alternate_stack({kib * 1024},500)")
    assert ran.stdout == "alternate_stack 500\n"
