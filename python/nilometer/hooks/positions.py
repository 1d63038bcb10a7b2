"""Counts the turns of the program's outermost loop by the position of its iterator. CPython 3.10 and 3.11.

In: the stack of the main thread, looked at by the clock. Out: how many turns are over since the last look.
Never: an event; a reference to an object of the program's, but for code, that outlives the look; a number
that is not exact. A loop is counted where all calls around it come once: no other can stand at its place.
"""

from __future__ import annotations

import sys
from time import monotonic

from nilometer import _native
from nilometer.hooks import ticks
from nilometer.hooks.origin import is_users

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType, FrameType

_VERSIONS = ((3, 10), (3, 11))
_MAX_DEPTH = 200
# A loop that turns more often in a second is no cycle.
_HOT_TURNS = 1000


class _Loop:
    """The loop that the program is in: what calls it, and where it stood at the last look."""

    __slots__ = ("calls", "is_left", "iterator", "key", "over", "place", "seen")

    def __init__(self, calls: tuple[tuple[CodeType, int], ...], place: str, nth: int) -> None:
        self.calls = calls
        self.place = place
        self.key = hash((place, nth)) & 0xFFFF_FFFF_FFFF_FFFF
        self.iterator = self.over = 0
        self.seen = 0.0
        self.is_left = False


_loop: _Loop | None = None
_begun = 0


def install() -> None:
    """Begins to look, where this Python's iterators can be read."""
    if sys.version_info[:2] in _VERSIONS and _native.know_iterators(_samples()):
        ticks.add(look)


def _samples() -> list[tuple[object, int, int]]:
    """New iterators of three elements, at which byte C keeps their position, whether it rises or falls."""
    index, left_of_dict, left_of_set, parts = 16, 48, 40, 24
    words = dict.fromkeys("abc")
    return [
        (iter(range(3)), index, 1),
        (iter([1, 2, 3]), index, 1),
        (iter((1, 2, 3)), index, 1),
        (iter("abc"), index, 1),
        (enumerate((1, 2, 3)), index, 1),
        (reversed([1, 2, 3]), index, -1),
        (reversed((1, 2, 3)), index, -1),
        (iter(words), left_of_dict, -1),
        (iter(words.items()), left_of_dict, -1),
        (iter(words.values()), left_of_dict, -1),
        (iter({1, 2, 3}), left_of_set, -1),
        (zip((1, 2, 3)), parts, 0),
    ]


def look() -> None:
    """Counts what the outermost loop has turned since the last look."""
    frames: list[FrameType] = []
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if len(frames) == _MAX_DEPTH:
            return
        frames.append(frame)
        frame = frame.f_back
    calls: list[tuple[CodeType, int]] = []
    inner: list[FrameType | None] = [None, *frames]
    for nth in range(len(frames) - 1, -1, -1):
        frame = frames[nth]
        told = _native.place_of(frame, inner[nth], not calls)
        if told is True:
            calls.append((frame.f_code, frame.f_lasti))
        else:
            if told and is_users(frame.f_code.co_filename):
                head, iterator, over = told
                calls.append((frame.f_code, head))
                _count(tuple(calls), iterator, over)
            return


def _count(calls: tuple[tuple[CodeType, int], ...], iterator: int, over: int) -> None:
    global _loop, _begun
    now = monotonic()
    loop = _loop
    if loop is None or loop.calls != calls:
        code, head = calls[-1]
        _begun += 1
        loop = _loop = _Loop(calls, f"{code.co_filename}:{_line(code, head)}", _begun)
        loop.iterator = iterator
    elif loop.is_left:
        return
    else:
        turns = over - loop.over
        if loop.iterator != iterator or turns < 0:
            # It cannot be, and if it is, its numbers are worth nothing.
            loop.is_left = True
            from nilometer.hooks import words

            _native.lost(words.EXCHANGED)
            return
        if turns > _HOT_TURNS * (now - loop.seen):
            loop.is_left = True
            return
        if turns:
            _native.turns(loop.key, loop.place, turns)
    loop.over, loop.seen = over, now


def _line(code: CodeType, offset: int) -> int:
    line = 0
    for start, end, number in code.co_lines():
        if start <= offset < end and number is not None:
            line = number
    return line
