"""Drives `nilometer prove` and `nilometer plan` from outside, on small programs in a folder of their own.

`NILOMETER_CLI` names another command to test (shell words); the default is the installed package.
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

COMMAND: list[str] = shlex.split(os.environ.get("NILOMETER_CLI", "")) or [sys.executable, "-m", "nilometer"]
PATIENCE = 120  # seconds until a hang is called one
PLANNING = 300  # the same for a plan, which runs a training three times


@dataclass(frozen=True)
class Bench:
    """A folder of a user's, another for captures, one for temporary files, and programs in the first."""

    root: Path

    @property
    def folder(self) -> Path:
        return self.root / "mine"

    @property
    def captures(self) -> Path:
        return self.root / "captures"

    @property
    def temporary(self) -> Path:
        return self.root / "tmp"

    def script(self, text: str, name: str = "prog.py") -> str:
        (self.folder / name).write_text(text, encoding="utf-8")
        return name

    def start(self, *args: str, command: str = "prove") -> subprocess.Popen[str]:
        quiet = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1"}
        return subprocess.Popen(
            [*COMMAND, command, "-o", str(self.captures), *args],
            cwd=self.folder,
            env={**os.environ, "TMPDIR": str(self.temporary), "COLUMNS": "120", **quiet},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def prove(self, *args: str, code: int | None = 0) -> tuple[str, str]:
        """What it said on stdout and stderr."""
        process = self.start(*args)
        out, err = process.communicate(timeout=PATIENCE)
        assert code is None or process.returncode == code, (process.returncode, out, err)
        return out, err

    def proof(self, *args: str, code: int | None = 0) -> dict[str, Any]:
        proof: dict[str, Any] = json.loads(self.prove("--format", "json", *args, code=code)[0])
        return proof

    def plan(self, *args: str, code: int = 0) -> tuple[str, str]:
        """What it said on stdout and stderr."""
        process = self.start(*args, command="plan")
        out, err = process.communicate(timeout=PLANNING)
        assert process.returncode == code, (process.returncode, out, err)
        return out, err

    def planned(self, *args: str, code: int = 0) -> dict[str, Any]:
        plan: dict[str, Any] = json.loads(self.plan("--format", "json", *args, code=code)[0])
        return plan

    def pids(self) -> list[int]:
        """The two numbers that a started program prints first: its own and its child's."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            for log in self.captures.glob("*.log"):
                words = log.read_text().split()
                if len(words) == 2:
                    return [int(word) for word in words]
            time.sleep(0.05)
        raise AssertionError("the program did not start")

    def hashes(self) -> dict[str, str]:
        """What is in the user's folder."""
        files = (path for path in sorted(self.folder.rglob("*")) if path.is_file())
        return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    bench = Bench(tmp_path)
    bench.folder.mkdir()
    bench.temporary.mkdir()
    return bench
