"""Does something at the end of every cycle, before memory is read.

In: actions. Out: each called with the unit of the cycle that has ended, now and then where cycles are
fast.
Never: an action inside another, or one that, once it has had its time, takes more than half of the
program's.
"""

from __future__ import annotations

from time import monotonic

from nilometer import _native
from nilometer.hooks import marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Action = Callable[[int], None]

# Cycles that take long enough for work at the end of each.
SLOW = (marks.EPOCH, marks.FIT, marks.EVALUATE)
_MIN_TIME_PER_COST = 1.0
# A program of many short cycles lasts seconds: a change that comes now and then would show in none of them.
_FREE = 8.0  # seconds, for each action

_actions: list[Action] = []


def begin() -> None:
    """Stands before the native function that counts cycles; the hooks ask for it by name, each time."""
    count = _native.cycle

    def cycle(unit: int) -> None:
        for action in _actions:
            action(unit)
        count(unit)

    _native.cycle = cycle


def before_cycle(work: Callable[[], None], paced: bool = True) -> None:
    """Does `work` before each cycle is counted; if `paced` and slow, before as many as its share allows."""
    busy = False
    ended = 0.0
    cost = 0.0
    spent = 0.0

    def action(unit: int) -> None:
        nonlocal busy, ended, cost, spent
        began = monotonic()
        waits = paced and unit not in SLOW and spent > _FREE and began - ended < _MIN_TIME_PER_COST * cost
        if busy or waits:
            return
        busy = True
        try:
            work()
        except Exception as error:
            _native.lost(f"{work.__module__}: {type(error).__name__}: {error}")
        finally:
            busy = False
            ended = monotonic()
            cost = ended - began
            spent += cost

    _actions.append(action)
