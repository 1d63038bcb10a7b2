"""Callbacks, as Keras takes them: one, a list, or lists in lists.

In: which to leave out. Out: lists without them.
Never: a list of the program's own changed; Keras makes its own from it.
"""

from __future__ import annotations

from nilometer.frameworks.keras import places
from nilometer.hooks.wrapping import replace
from nilometer.interventions import acted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def flat(callbacks: Any) -> list[Any]:
    """All of them, in order."""
    if callbacks is None:
        return []
    if isinstance(callbacks, (list, tuple)):
        return [one for some in callbacks for one in flat(some)]
    return [callbacks]


def leave_out(intervention: str, is_out: Callable[[Any], bool]) -> None:
    """Leaves out the callbacks for which `is_out` says so."""

    def make(original: Any) -> Any:
        def __init__(self: Any, /, callbacks: Any = None, *args: Any, **kwargs: Any) -> None:
            given = flat(callbacks)
            left = [callback for callback in given if not is_out(callback)]
            if len(left) < len(given):
                acted(intervention)
                callbacks = left
            original(self, callbacks, *args, **kwargs)

        return __init__

    places.on_callback_list(lambda callback_list: places.void(replace(callback_list, "__init__", make)))
