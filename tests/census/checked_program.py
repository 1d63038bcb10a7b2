"""Runs a program of this folder whose functions `check_...` each have to pass."""

from __future__ import annotations

import subprocess
from pathlib import Path

HERE = Path(__file__).parent


def checks_of(program: str) -> int:
    """How many checks a program has."""
    return (HERE / program).read_text().count("\ndef check_")


def run(python: str, program: str, *arguments: str) -> None:
    """Runs all checks of a program of this folder in an interpreter of its own; each has to pass."""
    command = [python, "-E", "-s", "-X", "faulthandler", str(HERE / program), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    passed = [line for line in done.stdout.splitlines() if line.startswith("passed ")]
    assert len(passed) == checks_of(program), done.stdout
