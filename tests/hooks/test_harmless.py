"""With the hooks and without, a program finds the same world: `programs/harmless.py` says what it finds."""

from __future__ import annotations

import re

import pytest
from hook_runner import HIDES_FRAMES, PROGRAMS, Runner, by_case
from test_marks import KERAS, pytestmark  # noqa: F401


def told(screen: str) -> list[str]:
    """The screen without what differs from run to run: TensorFlow's times, and its temporary file names."""
    lines = [
        line for line in screen.splitlines() if not re.match(r"[IWE]\d{4} |WARNING: All log|\d{4}-", line)
    ]
    return [re.sub(r"__autograph_generated_file\w+", "__autograph_generated_file", line) for line in lines]


PROGRAM = str(PROGRAMS / "harmless.py")
ENVIRONMENT = {"NILOMETER_TEST_KERAS": KERAS, "PYTHONHASHSEED": "0"}
# All in one process, as TensorFlow takes longer to come than they take.
NAMES = ("faces", "copies", "functions", "released", "warned")
Screens = dict[str, list[str]]


@pytest.fixture(scope="module")
def screens(tmp_path_factory: pytest.TempPathFactory) -> tuple[Screens, Screens]:
    """What each printed to both streams, without the hooks and with them."""
    run = Runner(tmp_path_factory.mktemp("harmless"))
    plain = run.plain([PROGRAM, *NAMES], ENVIRONMENT)
    assert plain.returncode == 0, plain.stderr
    hooked = run([PROGRAM, *NAMES], ENVIRONMENT)
    assert hooked.code == 0, hooked.stderr
    assert hooked.losses() == []
    return both(plain.stdout, plain.stderr), both(hooked.stdout, hooked.stderr)


def both(stdout: str, stderr: str) -> Screens:
    out, err = by_case(stdout), by_case(stderr)
    assert tuple(out) == tuple(err) == NAMES
    return {name: told(out[name]) + told(err[name]) for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_same_world(screens: tuple[Screens, Screens], name: str) -> None:
    plain, hooked = screens
    assert plain[name] != []
    assert hooked[name] == plain[name]


@HIDES_FRAMES
def test_same_tracebacks(run: Runner) -> None:
    arguments = [PROGRAM, "tracebacks"]
    plain, hooked = run.plain(arguments, ENVIRONMENT), run(arguments, ENVIRONMENT)
    assert plain.stderr.count("LookupError: no") >= 8, plain.stderr
    assert hooked.code == plain.returncode == 1
    assert told(hooked.stdout) == told(plain.stdout)
    assert told(hooked.stderr) == told(plain.stderr)
