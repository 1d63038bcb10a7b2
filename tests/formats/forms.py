"""A program that leaks, recorded once, and its report in whatever form a test asks for.

`NILOMETER_CLI` names another command to test (shell words); the default is the installed package.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

COMMAND: list[str] = shlex.split(os.environ.get("NILOMETER_CLI", "")) or [sys.executable, "-m", "nilometer"]
PATIENCE = 60  # seconds until a hang is called one
STEPS = 16
KEPT = 2 << 20

PROGRAM = """
import nilometer

kept = []
last = {{}}

def keep():
    kept.append(bytearray({kept}))

def replace():
    last["it"] = bytearray(4 << 20)

for step in range({steps}):
    with nilometer.phase("work"):
        keep()
        replace()
    nilometer.cycle()
"""


@dataclass(frozen=True)
class Forms:
    """A folder with captures, and the command that reads them."""

    folder: Path

    def record(self, name: str, kept: int) -> str:
        """Records a program that keeps so many bytes per step."""
        (self.folder / f"{name}.py").write_text(PROGRAM.format(kept=kept, steps=STEPS), encoding="utf-8")
        capture = f"{name}.nilo"
        done = self.run("run", "-q", "-f", "--sample", "64K", "-o", capture, f"{name}.py")
        assert done.returncode == 0, done.stderr.decode()
        return capture

    def run(self, *words: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [*COMMAND, *words],
            cwd=self.folder,
            env={**os.environ, "COLUMNS": "100", **(env or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PATIENCE,
        )

    def of(self, form: str, *words: str, capture: str = "leak.nilo") -> bytes:
        """The report in a form, as it comes from stdout."""
        done = self.run("report", capture, "--format", form, "-o", "-", *words)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout


@pytest.fixture(scope="session")
def forms(tmp_path_factory: pytest.TempPathFactory) -> Forms:
    made = Forms(tmp_path_factory.mktemp("forms"))
    made.record("leak", KEPT)
    made.record("mended", 0)
    return made
