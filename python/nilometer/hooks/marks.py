"""What the current thread is in the middle of, and the marks that say so.

In: begin and end of phases and of the framework calls ("scopes") around them. Out: calls of the native
module.
Never: an unbalanced phase (a scope that is left closes what it had opened), an exception, or a flood: a phase
that comes often is told only now and then.
"""

from __future__ import annotations

from _thread import _local
from time import monotonic

from nilometer import _native

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

EPOCH, FIT, EVALUATE, PREDICT, ON_BATCH, MODEL, CLEAR_SESSION, REQUEST, STEP, CALL, UPDATE = range(11)
SERVED, TASK, CELL, TRIAL, EPISODE, PASS, CHECK = range(11, 18)

# A phase is told every time until it has come this often, then at most once in this many seconds.
_ALWAYS = 512
_INTERVAL = 1.0

# Inside of another phase these are told as part of that one, so that readings at their edges tell nothing.
_PARTS = ("trace", "data_adapter")

# Where a `fit` stands with its first batch.
NO_BATCH, WAITING, RUNNING = range(3)


class _Thread(_local):
    """The state of one thread."""

    scope = ""  # the innermost framework call: fit, evaluate, predict, on_batch, trace, call; "" outside
    floor = 0  # the phases of `open` below this one belong to an outer scope
    first = NO_BATCH
    stateful: Any = None  # the innermost `fit` of a model with stateful layers, as `stateful` follows it
    building = False
    making = False

    def __init__(self) -> None:
        self.open: list[tuple[str, bool]] = []  # name, and whether it was told


thread = _Thread()
_told: dict[str, int] = {}
_came: dict[str, int] = {}
_last: dict[str, float] = {}


def _is_told(name: str) -> bool:
    count = _came[name] = _came.get(name, 0) + 1
    if count > _ALWAYS:
        now = monotonic()
        if now - _last.get(name, 0.0) < _INTERVAL:
            return False
        _last[name] = now
    _told[name] = _told.get(name, 0) + 1
    return True


def user_begin(name: str) -> bool:
    """Begins a phase that the program names itself; False if it came too often to be told this time.

    Kept apart from the phases of frameworks: it may end in any order with them.
    """
    told = _is_told(name)
    if told:
        _native.phase_begin(name)
    return told


def begin(name: str) -> None:
    """Begins a phase."""
    opened = thread.open
    told = _is_told(name)
    if told:
        _native.phase_begin(name, _is_part(name, opened))
    opened.append((name, told))


def end(name: str) -> None:
    """Ends the innermost phase of this name in this scope, and those opened inside it; if none, nothing."""
    opened = thread.open
    for depth in range(len(opened) - 1, thread.floor - 1, -1):
        if opened[depth][0] == name:
            _close(opened, depth)
            return


def _close(opened: list[tuple[str, bool]], depth: int) -> None:
    while len(opened) > depth:
        name, told = opened.pop()
        if told:
            _native.phase_end(name, _is_part(name, opened))


def _is_part(name: str, around: list[tuple[str, bool]]) -> bool:
    return name in _PARTS and len(around) > 0


def enter(scope: str) -> tuple[str, int, int]:
    """Enters a framework call; what it returns is to be given to `leave`."""
    outer = (thread.scope, thread.floor, thread.first)
    thread.scope = scope
    thread.floor = len(thread.open)
    thread.first = WAITING if scope == "fit" else NO_BATCH
    return outer


def leave(outer: tuple[str, int, int]) -> None:
    """Leaves a framework call and ends every phase that is still open in it."""
    _close(thread.open, thread.floor)
    thread.scope, thread.floor, thread.first = outer


def stand(scope: str) -> None:
    """Says that this thread is in such a call, or in none, where the call began before the recording did."""
    thread.scope = scope


def forget() -> None:
    """Another recording counts anew."""
    _told.clear()
    _came.clear()
    _last.clear()


def say_left_out() -> None:
    """Says at exit how often each phase came that was not told every time."""
    for name, count in _came.items():
        if count > _told.get(name, 0):
            _native.fact(f"phase.{name}.count", str(count))
