"""What is said of a leak while the training runs.

In: a report whose verdict is a leak. Out: one sentence or two, in the report's own words.
Never: a number that the report does not have.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nilometer.api import Report

_MIB = 2**20


class LeakWarning(UserWarning):
    """A training leaks memory. `python -W error::nilometer.training.leaks.LeakWarning` ends it there."""


def warn(report: Report) -> None:
    """Warns of the leak, with what keeps the memory and the change that ends it."""
    warnings.warn(words(report), LeakWarning, stacklevel=2)


def words(report: Report) -> str:
    """The leak in words: how much, who keeps it, where, and what to change."""
    said = "this training leaks memory"
    if report.growth is not None:
        grown = report.growth.bytes_per_cycle.estimate / _MIB
        unit = report.cycles.unit
        said += f", {grown:+.3g} MiB per {unit} since {unit} {report.growth.since_cycle}"
    if not report.findings:
        return said
    found = report.findings[0]
    said += f": {found.sentence}"
    site = next((site for site in found.sites if site.line > 0), None)
    if site is not None:
        said += f" ({site.role.replace('_', ' ')} {site.file}:{site.line})"
    return said if found.change is None else f"{said}; change: {found.change}"


def mib_per_epoch(report: Report | None) -> float | None:
    """Growth per epoch in MiB, once it is known and if epochs are what is counted."""
    if report is None or report.growth is None or report.cycles.kind != "epoch":
        return None
    return report.growth.bytes_per_cycle.estimate / _MIB
