"""The warning of a leak while the training runs.

In: a report whose verdict is a leak. Out: a Python warning.
Never: a number that the report does not have.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from nilometer.training import words

if TYPE_CHECKING:
    from nilometer.api import Report

_MIB = 2**20


class LeakWarning(UserWarning):
    """A training leaks memory. `python -W error::nilometer.training.leaks.LeakWarning` ends it there."""


def warn(report: Report) -> None:
    """Warns of the leak, with what keeps the memory and the change that ends it."""
    warnings.warn(words.leak(report), LeakWarning, stacklevel=2)


def mib_per_epoch(report: Report | None) -> float | None:
    """Growth per epoch in MiB, once it is known and if epochs are what is counted."""
    if report is None or report.growth is None or report.cycles.kind != "epoch":
        return None
    return report.growth.bytes_per_cycle.estimate / _MIB
