"""Counts the turns of the loops that the program's own code is in. CPython 3.12 and later.

In: the stack of the main thread, looked at by the clock. Out: one turn for each jump back to the head of a
loop in the user's own files.
Never: an event in code that is not the user's; an event that goes on in a hot loop. A loop that turns more
often than 1,000 times a second is left alone for good. So is a loop inside of one that turned often enough.
"""

from __future__ import annotations

import sys
from time import monotonic

from nilometer import _native
from nilometer.hooks import ticks
from nilometer.hooks.origin import is_users

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType
    from typing import Any

# Tool ids that CPython reserves for nobody.
_TOOL_IDS = (4, 3)
# A loop is hot when so many turns took less than so many seconds.
_HOT_TURNS = 64
_HOT_SECONDS = 0.064
# Functions of the user's whose loops are counted, and frames that are looked at from the outermost one on.
_MAX_CODES = 64
_MAX_FRAMES = 12
_MAX_DEPTH = 200
# A loop that turned so often is a cycle of its own, whatever turns inside of it.
_ENOUGH_TURNS = 8


class _Loop:
    """A jump back: where its loop stands, and how often it turned of late."""

    __slots__ = ("began", "end", "is_left", "key", "lately", "place", "start", "turns")

    def __init__(self, code: CodeType, start: int, end: int) -> None:
        self.start = start
        self.end = end
        self.place = f"{code.co_filename}:{_line(code, start)}"
        self.key = hash((self.place, end)) & 0xFFFF_FFFF_FFFF_FFFF
        self.turns = self.lately = 0
        self.began = monotonic()
        self.is_left = False


_loops: dict[tuple[CodeType, int], _Loop] = {}
_watched: set[CodeType] = set()
_tool: int | None = None


def install() -> None:
    """Begins to look for loops, where this Python has `sys.monitoring` and a tool id is free."""
    global _tool
    monitoring = getattr(sys, "monitoring", None)
    if monitoring is None:
        return
    for tool in _TOOL_IDS:
        if monitoring.get_tool(tool) is None:
            monitoring.use_tool_id(tool, "nilometer")
            monitoring.register_callback(tool, monitoring.events.JUMP, _jump)
            _tool = tool
            ticks.add(look)
            return


def uninstall() -> None:
    """Watches no loop any more, and gives the tool id back."""
    global _tool
    if _tool is None:
        return
    monitoring = sys.monitoring  # type: ignore[attr-defined]
    for code in _watched:
        monitoring.set_local_events(_tool, code, 0)
    monitoring.register_callback(_tool, monitoring.events.JUMP, None)
    monitoring.free_tool_id(_tool)
    _tool = None
    _watched.clear()
    _loops.clear()


def look() -> None:
    """Watches the loops of the user's functions that the main thread is in."""
    if _tool is None or len(_watched) >= _MAX_CODES:
        return
    frames: list[CodeType] = []
    frame: Any = sys._getframe(1)
    while frame is not None and len(frames) < _MAX_DEPTH:
        frames.append(frame.f_code)
        frame = frame.f_back
    events = sys.monitoring.events.JUMP  # type: ignore[attr-defined]
    for code in frames[: -_MAX_FRAMES - 1 : -1]:
        if code not in _watched and is_users(code.co_filename):
            _watched.add(code)
            sys.monitoring.set_local_events(_tool, code, events)  # type: ignore[attr-defined]


def _jump(code: CodeType, offset: int, destination: int) -> object:
    loop = _loops.get((code, offset))
    if loop is None:
        if destination > offset:
            return sys.monitoring.DISABLE  # type: ignore[attr-defined]
        loop = _loops[code, offset] = _Loop(code, destination, offset)
    loop.turns += 1
    loop.lately += 1
    if loop.lately == _HOT_TURNS:
        now = monotonic()
        if now - loop.began < _HOT_SECONDS:
            return sys.monitoring.DISABLE  # type: ignore[attr-defined]
        loop.lately, loop.began = 0, now
    if loop.turns == _ENOUGH_TURNS:
        _leave_inner(code, loop)
    if loop.is_left:
        return sys.monitoring.DISABLE  # type: ignore[attr-defined]
    _native.turn(loop.key, loop.place)
    return None


def _leave_inner(code: CodeType, outer: _Loop) -> None:
    """The loops inside of one that turns often enough are left alone."""
    for (known, _), loop in _loops.items():
        if known is code and outer.start < loop.start and loop.end < outer.end:
            loop.is_left = True


def _line(code: CodeType, offset: int) -> int:
    line = 0
    for start, end, number in code.co_lines():
        if start <= offset < end and number is not None:
            line = number
    return line
