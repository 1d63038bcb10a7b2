"""What the census reads of objects, and what its scans find, in every interpreter that is there."""

from __future__ import annotations

import pytest
from checked_program import ends_well, facts, holds

PROGRAMS = ("objects_program.py", "scan_program.py", "weigh_program.py", "bulk_values_program.py")
FACTS = [(program, fact) for program in PROGRAMS for fact in facts(program)]


@pytest.mark.parametrize(("program", "fact"), FACTS, ids=[fact for _, fact in FACTS])
def test_scans(program: str, fact: str, python: str, probe: str) -> None:
    holds(fact, python, program, probe)


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_of_scans_ends_as_ever(program: str, python: str, probe: str) -> None:
    ends_well(python, program, probe)
