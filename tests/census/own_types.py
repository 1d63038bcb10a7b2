"""Types of the program's own: plain ones, and kinds of Python's containers."""

from __future__ import annotations

import collections


class Plain:
    def __init__(self) -> None:
        self.number, self.items = 1.5, [2]


class Slots:
    __slots__ = ("__weakref__", "first", "second")


class MyDict(dict):
    pass


class MyList(list):
    pass


class MyTuple(tuple):
    pass


class MySet(set):
    pass


class MyDeque(collections.deque):
    pass


class MyError(Exception):
    pass
