"""What the census reads of objects, and what its scans find, in every interpreter that is there."""

from __future__ import annotations

from checked_program import run


def test_scans(python: str, probe: str) -> None:
    run(python, "scan_program.py", probe)
