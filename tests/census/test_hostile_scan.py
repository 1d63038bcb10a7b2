"""The census survives heaps that are not nice, in every interpreter that is there."""

from __future__ import annotations

from checked_program import run


def test_hostile_heaps(python: str, probe: str) -> None:
    run(python, "hostile_program.py", probe)
