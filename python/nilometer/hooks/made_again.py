"""What is remembered of a function that a framework traces or compiles, to say why it does so once more.

In: a function, the object that it is a method of, and what it was called with. Out: how often, whether it is
another function than before, and whether that is told. Never: a reference that keeps any of them alive.
"""

from __future__ import annotations

from _weakref import ref
from time import monotonic

from nilometer import _native
from nilometer.hooks import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from nilometer.hooks.parts import Parts

# Functions that are remembered; a program with more of them has each made a few times.
_MAX_FUNCTIONS = 2048
# A function's first times are all told, later ones at most one in this many seconds.
_ALWAYS = 256
_INTERVAL = 1.0


class Known:
    """What the time before was of; objects only by weak references."""

    __slots__ = ("_function", "_owner", "_told", "_wrapper", "nth", "parts", "scope")

    def __init__(self) -> None:
        self.nth = 0
        self.parts: Parts = {}
        self.scope = ""
        self._function: Any = None
        self._owner: Any = None
        self._wrapper: Any = None
        self._told = 0.0

    def another(self, function: Any, owner: Any) -> str:
        """Why this is another function than before; empty if it is the same."""
        if self._function is None or self._function() is not function:
            is_lambda = getattr(function, "__name__", "") == "<lambda>"
            return words.NEW_LAMBDA if is_lambda else words.NEW_FUNCTION
        if owner is not None and (self._owner is None or self._owner() is not owner):
            return words.NEW_METHOD
        return ""

    def has_wrapper(self, wrapper: Any) -> bool:
        """Whether it was wrapped by this before."""
        return self._wrapper is not None and self._wrapper() is wrapper

    def remember(self, function: Any, owner: Any, wrapper: Any) -> None:
        """Keeps these for the next time, weakly."""
        self._function, self._owner, self._wrapper = weak(function), weak(owner), weak(wrapper)

    def is_told(self) -> bool:
        """Whether this time is worth a record; if so, it was the last one."""
        now = monotonic()
        if self.nth > _ALWAYS and now - self._told < _INTERVAL:
            return False
        self._told = now
        return True


class Functions:
    """Functions by file, line and name; `made` says in a few words what is done to them again."""

    def __init__(self, made: str) -> None:
        self._made = made
        self._known: dict[tuple[str, int, str], Known] = {}
        self._full = False

    def of(self, place: tuple[str, int, str]) -> Known | None:
        """What is remembered of the function there; none for one too many, which is a loss."""
        known = self._known.get(place)
        if known is None and len(self._known) < _MAX_FUNCTIONS:
            known = self._known[place] = Known()
        elif known is None and not self._full:
            self._full = True
            _native.lost(words.too_many_functions(_MAX_FUNCTIONS, self._made))
        return known


def weak(thing: Any) -> Any:
    """A weak reference; none where there can be none."""
    try:
        return None if thing is None else ref(thing)
    except TypeError:
        return None
