"""What Keras keeps in its global state, as a count.

In: the module that has the state. Out: a row of the counts that are read at the end of cycles.
Never: what the state holds, beyond how much of it there is.
"""

from __future__ import annotations

from nilometer.hooks import probes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def add_state() -> None:
    """Adds the count."""
    probes.add("keras_state", "keras.src.backend.common.global_state", _state)


def _state(module: dict[str, Any]) -> int:
    # `clear_session` binds another object to the name; what it holds is of this thread.
    held = vars(module["GLOBAL_STATE_TRACKER"]).values()
    return sum(len(value) for value in held if type(value).__module__ in ("builtins", "collections")
               and isinstance(value, (dict, list, set)))  # fmt: skip
