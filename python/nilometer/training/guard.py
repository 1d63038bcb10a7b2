"""Keeps failures of ours away from the training.

In: code of ours that may fail. Out: nothing, or one warning, and quiet from then on.
Never: an exception of ours in the user's `fit`, not even where warnings are made errors.
"""

from __future__ import annotations

import contextlib
import warnings
from typing import TYPE_CHECKING

from nilometer.training import words

if TYPE_CHECKING:
    from types import TracebackType


class Guard:
    """A context manager that ends at a failure, warns of the first one, and remembers it."""

    def __init__(self) -> None:
        self.has_failed = False

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if error is None or not isinstance(error, Exception):
            return False
        if not self.has_failed:
            self.has_failed = True
            with contextlib.suppress(Warning):
                warnings.warn(words.failed(error), stacklevel=3)
        return True
