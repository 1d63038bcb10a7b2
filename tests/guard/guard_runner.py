"""Runs a small program under `nilometer guard`, in a folder of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

PATIENCE = 240  # seconds until a hang is called one
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    def ran(program: str, *options: str, guard: bool = True, **env: str) -> subprocess.CompletedProcess[str]:
        (tmp_path / "train.py").write_text(program, encoding="utf-8")
        words = ["-m", "nilometer", "guard", "-q", "--no-live", "-o", "{pid}.nilo", *options] if guard else []
        return subprocess.run(
            [sys.executable, *words, "train.py"],
            cwd=tmp_path,
            capture_output=True,
            timeout=PATIENCE,
            text=True,
            env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONHASHSEED": "0", **env},
        )

    return ran
