"""Garbage that waits for the collector, in every interpreter that is there."""

from __future__ import annotations

import pytest
from checked_program import ends_well, facts, holds

PROGRAM = "waiting_program.py"


@pytest.mark.parametrize("fact", facts(PROGRAM))
def test_waiting_garbage(fact: str, python: str, probe: str) -> None:
    holds(fact, python, PROGRAM, probe)


def test_the_program_of_waiting_garbage_ends_as_ever(python: str, probe: str) -> None:
    ends_well(python, PROGRAM, probe)
