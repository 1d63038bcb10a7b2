"""The corpus' own options, and the table of what was said about each program.

A test may run in a worker of its own; its score travels with its report, so that one table has them all.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from corpus_score import Score, summary

SCORES: pytest.StashKey[list[Score]] = pytest.StashKey()
# The property of a test's report that holds its score.
PROPERTY = "score"


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


class Gatherer:
    """Collects the scores of all tests, those of other workers too."""

    def __init__(self, config: pytest.Config) -> None:
        self.scores = config.stash[SCORES] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call":
            self.scores += [
                Score.from_text(str(text)) for name, text in report.user_properties if name == PROPERTY
            ]


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Gatherer(config))


@pytest.fixture
def score(record_property: Callable[[str, object], None]) -> Callable[[Score], None]:
    """Adds a run to the table at the end of the session."""
    return lambda one: record_property(PROPERTY, one.to_text())


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    scores = config.stash.get(SCORES, [])
    if not scores:
        return
    terminalreporter.section("corpus: truth and verdict")
    for one in scores:
        terminalreporter.line(one.line())
    for line in summary(scores):
        terminalreporter.line(line)
