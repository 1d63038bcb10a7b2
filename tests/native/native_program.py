"""Runs small programs with the real native module and a capture of their own.

The module is the installed one, or the file in `NILOMETER_NATIVE_SO`; the interpreter is the one that runs
the tests, or `NILOMETER_TEST_PYTHON`. The module is built for the stable ABI: one file serves all versions.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

sys.path.insert(0, os.path.dirname(__file__))
import capture_file

PYTHON = os.environ.get("NILOMETER_TEST_PYTHON", sys.executable)
PATIENCE = 60  # seconds until a hang is called one

PRELUDE = """\
import os, sys
import _native
assert _native.start({capture!r}) is True
os.register_at_fork(
    before=_native.before_fork,
    after_in_parent=_native.after_fork_parent,
    after_in_child=_native.after_fork_child,
)
"""


def native_file() -> Path:
    if given := os.environ.get("NILOMETER_NATIVE_SO"):
        return Path(given)
    from nilometer import _native

    return Path(_native.__file__)


@dataclass(frozen=True)
class Program:
    folder: Path

    @property
    def capture_path(self) -> Path:
        return self.folder / "program.nilo"

    def start(
        self, code: str, *flags: str, prelude: bool = True, env: dict[str, str] | None = None
    ) -> subprocess.Popen[str]:
        if not self.capture_path.exists():
            capture_file.create(self.capture_path)
        text = (PRELUDE.format(capture=str(self.capture_path)) if prelude else "") + code
        return subprocess.Popen(
            [PYTHON, *flags, "-c", text],
            env={**os.environ, "PYTHONPATH": str(self.folder), **(env or {})},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def run(
        self,
        code: str,
        *flags: str,
        prelude: bool = True,
        env: dict[str, str] | None = None,
        expect: int = 0,
    ) -> tuple[str, str]:
        """Runs to the end; gives what it printed. A hang is killed, with all children, and fails."""
        process = self.start(code, *flags, prelude=prelude, env=env)
        try:
            out, err = process.communicate(timeout=PATIENCE)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
        assert process.returncode == expect, f"exit {process.returncode}\n{out}\n{err}"
        return out, err

    def capture(self) -> capture_file.Capture:
        return capture_file.read(self.capture_path)


@pytest.fixture
def program(tmp_path: Path) -> Program:
    shutil.copy(native_file(), tmp_path / "_native.abi3.so")
    return Program(tmp_path)
