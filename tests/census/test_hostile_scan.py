"""Scans of a heap that fights back, in every interpreter that is there."""

from __future__ import annotations

import pytest
from checked_program import ends_well, facts, holds

PROGRAM = "hostile_program.py"


@pytest.mark.parametrize("fact", facts(PROGRAM))
def test_hostile_scans(fact: str, python: str, probe: str) -> None:
    holds(fact, python, PROGRAM, probe)


def test_the_hostile_program_ends_as_ever(python: str, probe: str) -> None:
    ends_well(python, PROGRAM, probe)
