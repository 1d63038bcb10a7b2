"""With the hooks and without, a program finds the same world: `programs/harmless.py` says what it finds."""

from __future__ import annotations

import re

import pytest
from hook_runner import HIDES_FRAMES, PROGRAMS, Runner
from test_marks import KERAS, pytestmark  # noqa: F401


def told(screen: str) -> list[str]:
    """The screen without what differs from run to run: TensorFlow's times, and its temporary file names."""
    lines = [
        line for line in screen.splitlines() if not re.match(r"[IWE]\d{4} |WARNING: All log|\d{4}-", line)
    ]
    return [re.sub(r"__autograph_generated_file\w+", "__autograph_generated_file", line) for line in lines]


@pytest.mark.parametrize("name", ["faces", "copies", "functions", "released", "warned"])
def test_same_world(run: Runner, name: str) -> None:
    arguments = [str(PROGRAMS / "harmless.py"), name]
    env = {"NILOMETER_TEST_KERAS": KERAS, "PYTHONHASHSEED": "0"}
    plain = run.plain(arguments, env)
    assert plain.returncode == 0, plain.stderr
    hooked = run(arguments, env)
    assert told(hooked.stdout) == told(plain.stdout)
    assert told(hooked.stderr) == told(plain.stderr)
    assert hooked.code == 0
    assert hooked.losses() == []


@HIDES_FRAMES
def test_same_tracebacks(run: Runner) -> None:
    arguments = [str(PROGRAMS / "harmless.py"), "tracebacks"]
    env = {"NILOMETER_TEST_KERAS": KERAS, "PYTHONHASHSEED": "0"}
    plain, hooked = run.plain(arguments, env), run(arguments, env)
    assert plain.stderr.count("LookupError: no") >= 8, plain.stderr
    assert hooked.code == plain.returncode == 1
    assert told(hooked.stdout) == told(plain.stdout)
    assert told(hooked.stderr) == told(plain.stderr)
