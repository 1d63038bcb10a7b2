"""Threads: many short ones, ones with little stack, ones whose destructors allocate."""

from __future__ import annotations

import pytest
from harm_bench import PROGRAMS, Bench

NATIVE = PROGRAMS / "native.py"
SMALLEST = 64 * 1024


def test_short_threads(bench: Bench) -> None:
    ran = bench.same(NATIVE, "threads", f"short_threads(3200,16,{SMALLEST},60000)")
    assert ran.stdout == "short_threads 3200\n"


@pytest.mark.slow
def test_twenty_thousand_short_threads(bench: Bench) -> None:
    ran = bench.same(NATIVE, "threads", "short_threads(20000,32,0,3000)")
    assert ran.stdout == "short_threads 20000\n"


def test_threads_whose_small_stack_is_nearly_used_up(bench: Bench) -> None:
    ran = bench.same(NATIVE, "threads", "deep_threads(200,200000)")
    assert ran.stdout == "deep_threads 200\n"


def test_destructors_of_threads(bench: Bench) -> None:
    ran = bench.same(NATIVE, "threads", "threads_with_destructors(500)")
    assert ran.stdout == "threads_with_destructors 500\n"
