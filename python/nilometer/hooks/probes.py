"""What Python's heap cannot show, or shows too small: a few counts, read at the end of cycles.

In: the end of a cycle. Out: the cycle itself, then the counts that changed since they were last said.
Never: an import, a collection, a walk over the program's objects, or more than one part in 500 of its time:
the next look is put off by as much as the last one cost, and one count that is dear by more.
"""

from __future__ import annotations

import sys
from time import monotonic, thread_time

from nilometer import _native
from nilometer.hooks import alive, shapes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# All counts together cost one part in this many of the program's time, ...
_TIME_DIVISOR = 500
# ... and one that took longer than this (seconds) one part in so many by itself.
_DEAR = 50e-6
_DEAR_SHARE = 5000
# After so many looks they are this far apart (seconds) whatever they cost: what changes is written down.
_ALWAYS = 1024
_INTERVAL = 0.25
# A module may be in the middle of its import: a count is given up when it failed this often.
_FAILURES = 8


def _figures(helpers: dict[str, Any]) -> int:
    return len(helpers["Gcf"].figs)


def _log_handlers(logging: dict[str, Any]) -> int:
    return len(logging["_handlerList"])


def _notebook_outputs(shells: dict[str, Any]) -> int:
    shell = shells["InteractiveShell"]._instance
    return 0 if shell is None else len(shell.user_ns.get("_oh", ()))


def _exit_functions(atexit: dict[str, Any]) -> int:
    count: int = atexit["_ncallbacks"]()
    return count


def _threads(thread: dict[str, Any]) -> int:
    count: int = thread["_count"]()
    return count


class _Row:
    """A count that is read from a module which the program has imported."""

    __slots__ = ("due", "failures", "module", "name", "read")

    def __init__(self, name: str, module: str, read: Callable[[dict[str, Any]], int]) -> None:
        self.name = name
        self.module = module
        self.read = read
        self.due = 0.0
        self.failures = 0


_rows = [
    _Row("notebook_outputs", "IPython.core.interactiveshell", _notebook_outputs),
    _Row("figures", "matplotlib._pylab_helpers", _figures),
    _Row("log_handlers", "logging", _log_handlers),
    _Row("exit_functions", "atexit", _exit_functions),
    _Row("python_threads", "_thread", _threads),
]
_said: dict[str, int] = {}
_due = 0.0
_looks = 0
_looking = False


def add(name: str, module: str, read: Callable[[dict[str, Any]], int]) -> None:
    """A framework's hooks add a count, which `read` gets from what that module of the framework has."""
    _rows.append(_Row(name, module, read))


def cycle(unit: int, of: str | None = None) -> None:
    """A cycle of this unit has ended, perhaps of a known endpoint: says so, then looks if it is time to."""
    if of is None:
        _native.cycle(unit)
    else:
        _native.cycle_of(unit, of)
    look_if_due()


def served(method: str, place: str, is_route: bool) -> None:
    """A request was served: of this route, or of a path that no framework knew a route of."""
    _native.served(method, place, is_route)
    look_if_due()


def forget() -> None:
    """Another recording is told every count anew."""
    global _due, _looks
    _said.clear()
    _due, _looks = 0.0, 0


def look_if_due() -> None:
    """Looks, unless the last look is not paid for yet."""
    if monotonic() >= _due:
        look()


def look() -> None:
    """Reads every count and says those that changed."""
    global _due, _looking, _looks
    if _looking:  # another thread, or a signal handler of the program
        return
    _looking = True
    _looks += 1
    began = thread_time()
    try:
        for kind, value in alive.counts():
            _say(kind, value)
        _say("batch_shapes", shapes.seen())
        for row in tuple(_rows):
            _look_at(row, sys.modules.get(row.module))
    except Exception as error:
        _native.lost(f"probes: {type(error).__name__}")
    finally:
        _looking = False
        pause = (thread_time() - began) * _TIME_DIVISOR
        _due = monotonic() + (pause if _looks <= _ALWAYS else max(pause, _INTERVAL))


def _look_at(row: _Row, module: Any) -> None:
    now = monotonic()
    if module is None or now < row.due:
        return
    # This thread's own time: on a busy machine most time that goes by is other programs'.
    began = thread_time()
    try:
        value = row.read(vars(module))
    except Exception as error:
        row.failures += 1
        if row.failures == _FAILURES:
            _rows.remove(row)
            from nilometer.hooks import words

            _native.lost(words.no_count(row.name, error))
        return
    cost = thread_time() - began
    if cost > _DEAR:
        row.due = now + cost * _DEAR_SHARE
    _say(row.name, value)


def _say(name: str, value: int) -> None:
    # A count that was never anything but zero is of something that the program does not use.
    if _said.get(name, 0) != value:
        _said[name] = value
        _native.probe(name, value)
