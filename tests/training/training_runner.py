"""Runs a small training in a process of its own, and gives its last line of output, which is JSON."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

PATIENCE = 240  # seconds until a hang is called one


@dataclass(frozen=True)
class Ran:
    """What a program said."""

    told: Any
    stdout: str
    stderr: str


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., Ran]:
    def ran(program: str, *options: str, **env: str) -> Ran:
        (tmp_path / "train.py").write_text(program, encoding="utf-8")
        done = subprocess.run(
            [sys.executable, *options, "train.py"],
            cwd=tmp_path,
            capture_output=True,
            timeout=PATIENCE,
            text=True,
            env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", **env},
        )
        assert done.returncode == 0, done.stderr[-3000:]
        return Ran(json.loads(done.stdout.splitlines()[-1]), done.stdout, done.stderr)

    return ran
