"""The last exception, which Python and the notebook keep for a debugger, with the variables of its frames.

In: the interpreter's memory of it. Out: variables that are larger than a few pages.
Never: the notebook's own names, or IPython's frames; a reference that stays.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from nilometer.hooks.weight import size_of

# Frames that are looked at, and variables too small to be told (bytes).
_FRAMES = 30
_MIN_BYTES = 64 * 1024


def last_exception() -> BaseException | None:
    """The exception that was shown last."""
    found = getattr(sys, "last_exc", None) or getattr(sys, "last_value", None)
    return found if isinstance(found, BaseException) else None


def variables(space: dict[str, Any], seen: set[int]) -> Iterator[tuple[str, str, int]]:
    """Name, function and bytes of what the frames keep; `seen` has what is told elsewhere."""
    error = last_exception()
    trace = error.__traceback__ if error is not None else None
    for _ in range(_FRAMES):
        if trace is None:
            return
        frame = trace.tb_frame
        if not _is_notebooks(frame, space):
            for name, value in list(frame.f_locals.items()):
                size = size_of(value, seen)
                if size >= _MIN_BYTES:
                    yield name, frame.f_code.co_name, size
        trace = trace.tb_next


def _is_notebooks(frame: Any, space: dict[str, Any]) -> bool:
    """Whether it is IPython's, or a cell's: that has the notebook's own names."""
    module = str(frame.f_globals.get("__name__", ""))
    return module.partition(".")[0] in ("IPython", "ipykernel") or frame.f_code.co_name == "<module>"
