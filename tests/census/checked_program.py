"""Programs of this folder whose functions `check_...` each state a fact: one test for each, one run for all.

In: an interpreter and a program. Out: which checks passed. What must not happen here: a check that is not run
and not missed; a second run for the next name.
"""

from __future__ import annotations

import functools
import re
import subprocess
from pathlib import Path

HERE = Path(__file__).parent
PREFIX = "check_"


def facts(program: str) -> list[str]:
    """What a program checks, as the names of its checks say it."""
    text = (HERE / program).read_text(encoding="utf-8")
    return re.findall(rf"^def {PREFIX}(\w+)", text, re.MULTILINE)


@functools.cache
def ran(python: str, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The program in an interpreter of its own, run once for all who ask."""
    command = [python, "-E", "-s", "-X", "faulthandler", str(HERE / program), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


def holds(fact: str, python: str, program: str, *arguments: str) -> None:
    """The check of this fact has passed."""
    done = ran(python, program, *arguments)
    name = PREFIX + fact
    # What it printed: from where it began to where the next one did.
    told = done.stdout.partition(f"begun {name}\n")[2].partition("\nbegun ")[0]
    assert f"passed {name}" in told.splitlines(), told or done.stdout + done.stderr


def ends_well(python: str, program: str, *arguments: str) -> None:
    """The program has run all its checks, and came to its end."""
    done = ran(python, program, *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(f"passed {PREFIX}") == len(facts(program)) > 0, done.stdout
