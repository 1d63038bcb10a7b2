"""What the user asks a callback for, checked when it is made.

In: the arguments of a callback. Out: one value that can be copied and pickled.
Never: a wrong argument that is found only when an epoch ends.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from nilometer.training import words

if TYPE_CHECKING:
    from nilometer.api import Report

    OnLeak: TypeAlias = Literal["warn", "stop"] | Callable[[Report], object]
    Tracker: TypeAlias = Literal["mlflow", "wandb"]
    Capture: TypeAlias = str | os.PathLike[str]

_TRACKERS = ("mlflow", "wandb")


@dataclass(frozen=True)
class Options:
    """The arguments that all callbacks take."""

    on_leak: OnLeak
    log: bool
    log_to: tuple[str, ...]
    check_every: int | None
    quiet: bool
    capture: Capture | None
    overwrite: bool


def options(
    on_leak: OnLeak,
    log: bool,
    log_to: Tracker | Sequence[Tracker],
    check_every: int | None,
    quiet: bool,
    capture: Capture | None,
    overwrite: bool,
) -> Options:
    """Checks them. Raises `ValueError` for one that means nothing."""
    if not callable(on_leak) and on_leak not in ("warn", "stop"):
        raise ValueError(words.wrong_on_leak(on_leak))
    if check_every is not None and check_every < 1:
        raise ValueError(words.wrong_check_every(check_every))
    trackers = (log_to,) if isinstance(log_to, str) else tuple(log_to)
    for name in trackers:
        if name not in _TRACKERS:
            raise ValueError(words.wrong_log_to(name))
    return Options(on_leak, log, trackers, check_every, quiet, capture, overwrite)
