"""Counts objects of a framework that are alive, without keeping any of them alive.

In: an object when its constructor has run. Out: counts by kind, which go down when the object is freed.
Never: a strong reference to a program's object, a changed type, or a call of the object's own code (its hash
and its comparison are not asked: the entries go by address, and leave before the address can be used again).
"""

from __future__ import annotations

from _weakref import ref

from nilometer import _native
from nilometer.hooks.wrapping import forget_frame

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# So many objects of a kind are followed at most; a weak reference and its entry take about 200 bytes.
_MAX_FOLLOWED = 100_000


class Mark(ref):  # type: ignore[type-arg]
    """A weak reference that knows where it is kept."""

    __slots__ = ("home", "key")

    home: dict[int, Mark]
    key: int


# What happened and is never undone.
_happened: dict[str, int] = {}
# All that is followed, by kind and address. It grows with the program's objects and shrinks with them; a
# count is a length, so that neither a thread nor a collection in between can make it wrong.
_marks: dict[str, dict[int, Mark]] = {}
_full: set[str] = set()
_failed: set[str] = set()


def _gone(mark: Any) -> None:
    # No name of this module: at the end of the interpreter they may be gone before the objects.
    if mark.home.get(mark.key) is mark:
        del mark.home[mark.key]


def counts() -> list[tuple[str, int]]:
    """How many objects of each kind are alive, and how often what was counted happened."""
    alive = [(kind, len(marks)) for kind, marks in tuple(_marks.items())]
    return alive + list(_happened.items())


def count(kind: str) -> None:
    """Counts something that happened."""
    _happened[kind] = _happened.get(kind, 0) + 1


def born(thing: Any, kind: str) -> None:
    """Counts an object, once however often it is said."""
    try:
        marks = _marks.get(kind)
        if marks is None:
            marks = _marks.setdefault(kind, {})
        key = id(thing)
        known = marks.get(key)
        if known is not None and known() is thing:
            return
        if len(marks) >= _MAX_FOLLOWED:
            _say_full(kind)
            return
        mark = Mark(thing, _gone)
        mark.home = marks
        mark.key = key
        marks[key] = mark
    except Exception as error:
        what = f"the count of {kind}: {type(error).__name__}"
        if what not in _failed:
            _failed.add(what)
            _native.lost(what)


def _say_full(kind: str) -> None:
    if kind not in _full:
        _full.add(kind)
        from nilometer.hooks import words

        _native.lost(words.too_many(_MAX_FOLLOWED, kind))


def wrap_init(kind: str, unless: str = "") -> Callable[[Any], Any]:
    """A maker of wrappers around a constructor: its objects are counted as `kind`.

    Objects whose class has the name `unless` are not: passing things that share the constructor.
    """

    def make(original: Any) -> Any:
        def __init__(self: Any, /, *args: Any, **kwargs: Any) -> None:
            try:
                original(self, *args, **kwargs)
            except BaseException as error:
                forget_frame(error)
                raise
            if type(self).__name__ != unless:
                born(self, kind)

        return __init__

    return make
