"""Passes over a data set: a loop of the program's own takes batches from an iterator until none is left.

In: the first batch and the end of an iterator of a framework. Out: one cycle per pass that came to its end:
an epoch where an optimizer stepped meanwhile, else a pass.
Never: a cycle inside a framework's call, or an iterator that is kept alive or given an attribute.
"""

from __future__ import annotations

from _weakref import ref

from nilometer.hooks import cycles, marks, probes
from nilometer.hooks.marks import thread
from nilometer.hooks.wrapping import forget_frame

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class _Begun(ref):  # type: ignore[type-arg]
    """An iterator that was begun, and how many updates there had been by then."""

    __slots__ = ("home", "key", "updates")

    home: dict[int, _Begun]
    key: int
    updates: int


_begun: dict[int, _Begun] = {}


def _gone(mark: Any) -> None:
    # No name of this module: at the end of the interpreter they may be gone before the iterators.
    if mark.home.get(mark.key) is mark:
        del mark.home[mark.key]


def begin(iterator: Any) -> None:
    """A pass begins. Said again it begins anew: some loaders use one iterator for every pass."""
    mark = _Begun(iterator, _gone)
    mark.home = _begun
    mark.key = id(iterator)
    mark.updates = cycles.updates
    _begun[mark.key] = mark


def end(iterator: Any) -> None:
    """The iterator has no more batches. It may say so again, when asked again: that is no pass."""
    mark = _begun.pop(id(iterator), None)
    if mark is not None and not thread.scope:
        probes.cycle(marks.PASS if cycles.updates == mark.updates else marks.EPOCH)


def wrap_init(original: Any) -> Any:
    """A wrapper of the constructor of an iterator that is made for one pass."""

    def __init__(self: Any, /, *args: Any, **kwargs: Any) -> None:
        try:
            original(self, *args, **kwargs)
        except BaseException as error:
            forget_frame(error)
            raise
        begin(self)

    return __init__


def wrap_next(original: Any) -> Any:
    """A wrapper of `__next__` of such an iterator."""

    def __next__(self: Any, /) -> Any:
        try:
            return original(self)
        except StopIteration as error:
            forget_frame(error)
            end(self)
            raise
        except BaseException as error:
            forget_frame(error)
            raise

    return __next__
