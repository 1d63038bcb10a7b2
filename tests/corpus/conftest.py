"""The corpus' own option, and the table of what was said about each program."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from corpus_score import Score, summary

SCORES: pytest.StashKey[list[Score]] = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--all-corpus", action="store_true", help="also run the corpus programs that take a minute"
    )
    parser.addoption(
        "--keep-evidence",
        type=Path,
        metavar="FOLDER",
        help="write the evidence of each run into this folder, as corpus/evidence has it",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.stash[SCORES] = []


@pytest.fixture
def score(request: pytest.FixtureRequest) -> Callable[[Score], None]:
    """Adds a run to the table at the end of the session."""
    return request.config.stash[SCORES].append


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    scores = config.stash.get(SCORES, [])
    if not scores:
        return
    terminalreporter.section("corpus: truth and verdict")
    for one in scores:
        terminalreporter.line(one.line())
    for line in summary(scores):
        terminalreporter.line(line)
