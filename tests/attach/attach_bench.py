"""Programs that run, and the commands that are said about them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

PATIENCE = 60  # seconds until a hang is called one


class Bench:
    """A folder with programs that run in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.programs: list[subprocess.Popen[str]] = []

    def start(self, text: str, *flags: str, python: str = sys.executable) -> subprocess.Popen[str]:
        """Starts a program, and waits until it has said `ready`; `stop` is the file at which it ends."""
        script = self.folder / "program.py"
        script.write_text("import os\ndef stopped():\n    return os.path.exists('stop')\n" + text)
        program = subprocess.Popen(
            [python, *flags, script.name],
            cwd=self.folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.programs.append(program)
        assert program.stdout is not None
        assert program.stdout.readline() == "ready\n"
        return program

    def nilometer(self, *words: object, code: int = 0) -> subprocess.CompletedProcess[str]:
        """Runs a command to its end."""
        done = subprocess.run(
            [sys.executable, "-m", "nilometer", *map(str, words)],
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert done.returncode == code, done.stderr
        return done

    def attach(self, *words: object) -> subprocess.Popen[str]:
        """Attaches, and comes back once the program has joined."""
        command = subprocess.Popen(
            [sys.executable, "-m", "nilometer", "attach", *map(str, words)],
            cwd=self.folder,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.programs.append(command)
        assert command.stderr is not None
        said = command.stderr.readline()
        assert said.startswith("nilometer  attached to "), said + command.stderr.read()
        return command

    def refused(self, pid: int) -> str:
        """What an attach says that is refused."""
        return self.nilometer("attach", pid, code=2).stderr

    def report(self, capture: str) -> Any:
        """The report as JSON."""
        return json.loads(self.nilometer("report", capture, "--format", "json").stdout)

    def end(self, program: subprocess.Popen[str]) -> tuple[str, str, int]:
        """Lets a program end by itself: its output and exit code."""
        (self.folder / "stop").touch()
        out, err = program.communicate(timeout=PATIENCE)
        return out, err, program.returncode

    def wait_for(self, what: Any) -> None:
        """Waits until it is so."""
        until = time.monotonic() + PATIENCE
        while not what():
            assert time.monotonic() < until
            time.sleep(0.02)


def threads(pid: int) -> int:
    return len(os.listdir(f"/proc/{pid}/task"))


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    """A folder for programs; what still runs at the end is killed."""
    bench = Bench(tmp_path)
    yield bench
    for program in bench.programs:
        if program.poll() is None:
            program.kill()
        program.wait()
        for stream in (program.stdin, program.stdout, program.stderr):
            if stream is not None:
                stream.close()
