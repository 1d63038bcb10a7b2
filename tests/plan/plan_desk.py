"""Drives `nilometer plan` from outside, on small programs in a folder of their own.

`NILOMETER_CLI` names another command to test (shell words); the default is the installed package.
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

COMMAND: list[str] = shlex.split(os.environ.get("NILOMETER_CLI", "")) or [sys.executable, "-m", "nilometer"]
PATIENCE_S = 300  # until a hang is called one


@dataclass(frozen=True)
class Desk:
    """A folder of a user's, and another for captures."""

    root: Path

    @property
    def folder(self) -> Path:
        return self.root / "mine"

    @property
    def captures(self) -> Path:
        return self.root / "captures"

    def script(self, text: str, name: str = "train.py") -> str:
        (self.folder / name).write_text(text, encoding="utf-8")
        return name

    def plan(self, *args: str, code: int = 0) -> tuple[str, str]:
        """What it said on stdout and stderr."""
        environ = {"COLUMNS": "120", "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1"}
        done = subprocess.run(
            [*COMMAND, "plan", "-o", str(self.captures), *args],
            cwd=self.folder,
            env={**os.environ, **environ},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
        )
        assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
        return done.stdout, done.stderr

    def planned(self, *args: str, code: int = 0) -> dict[str, Any]:
        plan: dict[str, Any] = json.loads(self.plan("--format", "json", *args, code=code)[0])
        return plan

    def hashes(self) -> dict[str, str]:
        """What is in the user's folder."""
        files = (path for path in sorted(self.folder.rglob("*")) if path.is_file())
        return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    desk = Desk(tmp_path)
    desk.folder.mkdir()
    return desk
