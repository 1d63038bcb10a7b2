"""What is called by the clock, on the main thread, between two of the program's own bytecodes.

In: functions of ours. Out: each called at every tick. Never: an exception that reaches the program.
"""

from __future__ import annotations

from nilometer import _native

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_calls: list[Callable[[], None]] = []


def add(call: Callable[[], None]) -> None:
    """Calls this at ticks from now on, once at each."""
    if not _calls:
        _native.at_ticks(tick)
    if call not in _calls:
        _calls.append(call)


def tick() -> None:
    """What the clock calls."""
    for call in tuple(_calls):
        try:
            call()
        except Exception as error:
            _calls.remove(call)
            _native.lost(f"{call.__module__}: {type(error).__name__}")
