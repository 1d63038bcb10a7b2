"""The native frame walk against Python's own frames, in every interpreter that is there."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
MINORS = (10, 11, 12, 13, 14)


def interpreters() -> dict[int, str]:
    """An interpreter of each minor version: this one, those on PATH, those that pyenv keeps."""
    versions = Path(os.environ.get("PYENV_ROOT", "~/.pyenv")).expanduser() / "versions"
    found = {sys.version_info.minor: sys.executable}
    for minor in MINORS:
        kept = sorted(versions.glob(f"3.{minor}.*/bin/python3.{minor}"))
        candidates = [str(path) for path in kept] + [shutil.which(f"python3.{minor}")]
        for candidate in candidates:
            # pyenv's names on PATH are there for versions that are not selected, too; those fail when run.
            if (
                candidate
                and minor not in found
                and subprocess.run([candidate, "-c", ""], capture_output=True).returncode == 0
            ):
                found[minor] = candidate
    return found


FOUND = interpreters()


@pytest.fixture(scope="session")
def probe() -> str:
    """The library that walks its caller's frames."""
    command = [
        "cargo",
        "build",
        "--quiet",
        "--locked",
        "--package",
        "nilometer-pyframes",
        "--example",
        "pyframes_probe",
    ]
    command.append("--message-format=json")
    lines = subprocess.check_output(command, cwd=HERE, text=True).splitlines()
    built = [json.loads(line) for line in lines]
    (library,) = [
        name
        for message in built
        if message["reason"] == "compiler-artifact" and message["target"]["name"] == "pyframes_probe"
        for name in message["filenames"]
        if name.endswith(".so")
    ]
    return str(library)


@pytest.fixture(params=MINORS, ids=lambda minor: f"3.{minor}")
def python(request: pytest.FixtureRequest) -> str:
    """An interpreter of each version; those that are not there are skipped."""
    if request.param not in FOUND:
        pytest.skip(f"no Python 3.{request.param} here")
    return FOUND[request.param]


def run(python: str, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs a program of this folder, without this interpreter's settings."""
    command = [python, "-E", "-s", str(HERE / program), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=900)


def situations() -> list[str]:
    """Those that the program walks in, as it and its list of them name them."""
    listed = ast.parse((HERE / "situations.py").read_text(encoding="utf-8")).body[-1]
    names = [node.id for node in ast.walk(listed) if isinstance(node, ast.Name) and node.id != "ALL"]
    return [*names, "identities", "short_of_room", "not_python"]


def test_same_frames_as_python(python: str, probe: str) -> None:
    """One run walks in all situations."""
    done = run(python, "walked_program.py", probe)
    said = done.stdout + done.stderr
    alike = re.findall(r"^(\w+): \d+ walks, 0 failures$", done.stdout, re.MULTILINE)
    assert sorted(alike) == sorted(situations()), said
    assert len(alike) >= 20
    assert done.returncode == 0, said


def test_same_lines_as_python(python: str, probe: str) -> None:
    """A part of the standard library; `test_same_lines_everywhere` takes it all."""
    done = run(python, "lines_program.py", probe, "20")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_same_lines_everywhere(python: str, probe: str) -> None:
    done = run(python, "lines_program.py", probe)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_end_of_the_interpreter(python: str, probe: str) -> None:
    """Frames until the interpreter begins to end, none afterwards; and the program ends as it should."""
    done = run(python, "ending_program.py", probe)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == ["running: frames", "atexit: frames", "finalising: none"]
