"""The guard: saves a training and ends it before a memory limit does; `nilometer guard train.py` starts it.

In: what `nilometer guard` wrote into the private variable. Out: hooks around `fit`; for loops of the
program's own:

    state = nilometer.guard.restored() or {"step": 0}
    for step in range(state["step"], steps):
        ...
        if nilometer.guard.should_stop():
            nilometer.guard.checkpoint({"step": step + 1, "weights": model.get_weights()})

They do nothing when the program runs without the guard.
Never: an act on memory that the kernel can take back, an act without a word, or a framework imported by us.
docs/guard.md says what is saved and what is not.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from nilometer.guard.loop import Loop

__all__ = ["checkpoint", "restored", "should_stop"]

# Filled in when the program runs under `nilometer guard`.
_loop: Loop | None = None


def should_stop() -> bool:
    """Whether the turn of your loop that has just ended is the last one that is safe. Call it once per turn.

    A turn that ended within some milliseconds of the last look is not looked at.
    """
    return _loop is not None and _loop.should_stop()


def checkpoint(state: dict[str, Any]) -> None:
    """Saves `state` and ends the program with exit code 75. Without the guard it does nothing.

    `state` holds numbers, text, None, NumPy arrays, and lists, tuples and dictionaries of these. Raises
    `TypeError` for anything else.
    """
    if _loop is not None:
        _loop.checkpoint(state)


def restored() -> dict[str, Any] | None:
    """What `checkpoint` saved, in a program that goes on from it; else None."""
    return None if _loop is None else _loop.restored()


def begin(text: str) -> None:
    """Puts the guard into this program; `text` is what `nilometer guard` says."""
    from nilometer.guard import starting

    starting.start(text)
