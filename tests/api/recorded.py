"""A small program that leaks, recorded once by `nilometer run`; its name is markup to who believes it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

COMMAND = [sys.executable, "-m", "nilometer"]
PATIENCE = 120  # seconds until a hang is called one
ROOT = Path(__file__).parents[2]
EVIDENCE = ROOT / "corpus/evidence/annealed_noise-4000_steps.evidence"
PROGRAM = """
import nilometer

kept = []
for step in range(24):
    kept.append(bytearray(2 << 20))
    nilometer.cycle()
"""


@dataclass(frozen=True)
class Recorded:
    """A capture, and the command that reads it."""

    capture: Path

    def run(self, *words: str | Path) -> str:
        done = subprocess.run(
            [*COMMAND, *words],
            cwd=self.capture.parent,
            env={**os.environ, "COLUMNS": "100"},
            capture_output=True,
            timeout=PATIENCE,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def by_command(self, capture: Path | None = None) -> Any:
        """The JSON report as the command prints it."""
        return json.loads(self.run("report", capture or self.capture, "--format", "json"))


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    folder = tmp_path_factory.mktemp("api")
    made = Recorded(folder / "leak.nilo")
    (folder / "<b>.py").write_text(PROGRAM, encoding="utf-8")
    made.run("run", "-q", "--sample", "64K", "-o", "leak.nilo", "<b>.py")
    return made
