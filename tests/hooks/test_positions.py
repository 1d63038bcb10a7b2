"""Turns read from the positions of iterators, on CPython 3.10 and 3.11: exact in every turn, or none."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PYTHON = os.environ.get("NILOMETER_TEST_PYTHON", sys.executable)
PROGRAM = Path(__file__).parent / "programs" / "turns.py"
CASES = ["nested", "kinds", "generator", "leaves", "guarded", "called", "recursion"]
CASES += ["nothing", "traceless", "lightly"]

VERSION = subprocess.check_output(
    [PYTHON, "-c", "import sys; print(sys.version_info[:2])"], text=True
).strip()
pytestmark = pytest.mark.skipif(
    VERSION not in ("(3, 10)", "(3, 11)"), reason="later Pythons have events for jumps"
)


@pytest.mark.parametrize("case", CASES)
def test_turns_are_exact_or_none(case: str, tmp_path: Path) -> None:
    import nilometer

    # Tests lie in no folder of installed packages, and a copy is sure not to.
    program = tmp_path / "turns.py"
    program.write_text(PROGRAM.read_text(encoding="utf-8"), encoding="utf-8")
    packages = str(Path(nilometer.__file__).parents[1])
    done = subprocess.run(
        [PYTHON, str(program), case],
        env={**os.environ, "PYTHONPATH": packages},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
