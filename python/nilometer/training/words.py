"""What the callbacks say: warnings, and errors of their arguments.

In: a report, an argument, an error. Out: one sentence or two.
Never: a number that the report does not have.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nilometer.api import Report

_MIB = 2**20


def leak(report: Report) -> str:
    """A leak, in the report's own words: how much, who keeps it, where, and what to change."""
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


def failed(error: BaseException) -> str:
    """A failure of ours, which the training does not feel."""
    said = f"{type(error).__name__}: {error}"
    return f"nilometer's callback failed and does no more; the training goes on ({said})"


def not_imported(callback: str, framework: str, modules: str) -> str:
    """The callback's framework is not there when it is made."""
    return (
        f"{callback} is a callback of {framework}, which is not imported; import {modules} before it is made"
    )


def wrong_on_leak(given: object) -> str:
    """`on_leak` means nothing."""
    return f"on_leak must be 'warn', 'stop' or a function of a report, not {given!r}"


def wrong_check_every(given: object) -> str:
    """`check_every` means nothing."""
    return f"check_every must be a number of epochs, 1 or more, not {given!r}"


def wrong_log_to(given: object) -> str:
    """`log_to` names no tracker."""
    return f"log_to takes 'mlflow', 'wandb' or both, not {given!r}"
