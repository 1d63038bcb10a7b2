"""Drives the real command line, from outside, as a user's shell would.

`NILOMETER_CLI` names another command to test (shell words); the default is the installed package.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

COMMAND: list[str] = shlex.split(os.environ.get("NILOMETER_CLI", "")) or [sys.executable, "-m", "nilometer"]
PATIENCE = 120  # seconds until a hang is called one; a program may share its cores with two others


@dataclass(frozen=True)
class Bench:
    """A folder of its own, and programs in it, run with and without nilometer."""

    folder: Path

    def script(self, text: str, name: str = "prog.py") -> str:
        (self.folder / name).write_text(text, encoding="utf-8")
        return name

    def environment(self, extra: dict[str, str] | None = None) -> dict[str, str]:
        return {**os.environ, "PYTHONHASHSEED": "0", "COLUMNS": "100", **(extra or {})}

    def run(
        self,
        command: Sequence[str],
        *,
        stdin: bytes = b"",
        env: dict[str, str] | None = None,
        before: str = "",
    ) -> subprocess.CompletedProcess[bytes]:
        """Runs a command in the folder; `before` is shell that runs first, in the same process."""
        if before:
            command = ["sh", "-c", f'{before}; exec "$@"', "sh", *command]
        return subprocess.run(
            command,
            cwd=self.folder,
            input=stdin,
            env=self.environment(env),
            capture_output=True,
            timeout=PATIENCE,
        )

    def plain(self, *args: str, **options: object) -> subprocess.CompletedProcess[bytes]:
        return self.run([sys.executable, *args], **options)  # type: ignore[arg-type]

    def watched(self, *args: str, **options: object) -> subprocess.CompletedProcess[bytes]:
        return self.run([*COMMAND, "run", *args], **options)  # type: ignore[arg-type]

    def start(self, *args: str, **options: object) -> subprocess.Popen[bytes]:
        """Starts `nilometer run ARGS` with all streams as pipes."""
        process: subprocess.Popen[bytes] = subprocess.Popen(
            [*COMMAND, "run", *args],
            cwd=self.folder,
            env=self.environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **options,  # type: ignore[call-overload]
        )
        return process

    @staticmethod
    def said(process: subprocess.Popen[bytes]) -> bytes:
        """The next line of its output; what says nothing in time is killed, and has said nothing."""
        assert process.stdout is not None
        hangs = threading.Timer(PATIENCE, process.kill)
        hangs.start()
        try:
            return process.stdout.readline()
        finally:
            hangs.cancel()

    def captures(self) -> list[Path]:
        return sorted(self.folder.glob("*.nilo"))

    def report(self, *args: str) -> subprocess.CompletedProcess[bytes]:
        return self.run([*COMMAND, "report", *args])


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


@pytest.fixture(scope="session", autouse=True)
def _command_exists() -> None:
    """One clear word instead of a failure in each test."""
    done = subprocess.run([*COMMAND, "--version"], capture_output=True, timeout=PATIENCE)
    if done.returncode != 0:
        pytest.exit(
            f"{shlex.join(COMMAND)} does not run: install the wheel, or set NILOMETER_CLI", returncode=2
        )
