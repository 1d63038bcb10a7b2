"""The corpus' own option, and the table of what was said about each program."""

from __future__ import annotations

from collections.abc import Callable

import pytest

SAID: pytest.StashKey[list[str]] = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--all-corpus", action="store_true", help="also run the corpus programs that take a minute"
    )


def pytest_configure(config: pytest.Config) -> None:
    config.stash[SAID] = []


@pytest.fixture
def say(request: pytest.FixtureRequest) -> Callable[[str], None]:
    """Adds a line to the table at the end of the session."""
    return request.config.stash[SAID].append


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    lines = config.stash.get(SAID, [])
    if not lines:
        return
    terminalreporter.section("corpus: truth and verdict")
    for line in lines:
        terminalreporter.line(line)
    right = sum(line.startswith("right") for line in lines)
    terminalreporter.line(f"{right} of {len(lines)} verdicts right")
