"""Memory outside of objects' blocks against `sys.getsizeof`."""

from __future__ import annotations

import array
import collections
import mmap
import sys
from typing import Any

from scan_door import run_checks, seen, sizes


class Attributes:
    def __init__(self) -> None:
        self.first, self.second, self.third = 1, 2, 3


class MyList(list):
    pass


def total(thing: object) -> int:
    """Block and buffers; none twice."""
    buffers = {(address, size) for address, size, owner in sizes(thing)["buffers"] if owner}
    return int(seen(thing)["bytes"] + sum(size for _, size in buffers))


def near(thing: object, slack: int = 16) -> None:
    """`sys.getsizeof` knows the collector's head, not what stands before it nor how blocks are rounded."""
    mine, theirs = total(thing), sys.getsizeof(thing)
    assert theirs - slack <= mine <= theirs + slack, (type(thing), mine, theirs, seen(thing), sizes(thing))


def check_lists() -> None:
    for length in (0, 1, 7, 1000, 100_000):
        near([None] * length)
    grown = []
    for number in range(1000):
        grown.append(number)
        if number % 97 == 0:
            near(grown)
    # From 3.14 on there is room for attributes behind it, which `sys.getsizeof` does not know.
    near(MyList(grown), 48 if sys.version_info < (3, 14) else 48 + 31 * 9)


def check_dicts() -> None:
    for length in (0, 1, 5, 6, 200, 70_000):
        near(dict.fromkeys(range(length)))
        near({str(number): number for number in range(length)})
    shrunk = dict.fromkeys(range(1000))
    for number in range(990):
        del shrunk[number]
    near(shrunk)


def check_ordered_dicts() -> None:
    for length in (0, 1, 10, 5000):
        ordered = collections.OrderedDict.fromkeys(range(length))
        near(ordered)
    twice = collections.OrderedDict()
    key, value = ("a", 1000), [1]
    before = sys.getrefcount(key)
    twice[key] = value
    held = seen(twice)["children"].count(id(key))
    assert sys.getrefcount(key) - before == held == 2, "its nodes hold the keys once more"
    assert sizes(twice)["hidden"] == []


def check_sets() -> None:
    for length in (0, 1, 4, 5, 100, 50_000):
        near(set(range(length)))
        near(frozenset(range(length)))


def check_deques() -> None:
    for length in (0, 1, 63, 64, 65, 1000, 100_000):
        near(collections.deque(range(length)))
    rotated = collections.deque(range(500))
    for _ in range(1000):
        rotated.append(rotated.popleft())
    near(rotated, 8 + 2 * 528)


def check_text() -> None:
    for text in ("", "abc", "\xe4" * 100, "\u20ac" * 1000, "\U0001f600" * 7, "a" * 100_000):
        near(text)
    accented = "\xe9" * 500
    near(accented)
    # Text formed from wide characters keeps a copy in UTF-8 once something asked for it.
    import ctypes

    encode = ctypes.pythonapi.PyUnicode_AsUTF8
    encode.argtypes, encode.restype = (ctypes.py_object,), ctypes.c_void_p
    before = total(accented)
    encode(accented)
    near(accented)
    assert total(accented) == before + 1001


def check_bytes_and_numbers() -> None:
    things: list[Any] = [b"", b"x" * 1000, 0, 1, -1, 2**29, 2**30, 2**60, -(2**200), 1.5, 2j]
    for thing in things:
        near(thing)
    growing = bytearray()
    for number in range(5000):
        growing.append(number % 256)
        if number % 701 == 0:
            near(growing)


def check_arrays_and_maps() -> None:
    near(array.array("d", [1.0] * 1000))
    near(array.array("b", b"x" * 77))
    with mmap.mmap(-1, 1 << 20) as mapped:
        ((_, size, owner),) = sizes(mapped)["buffers"]
        assert size == 1 << 20
        assert owner
    assert sizes(mapped)["buffers"] == [], "closed"


def check_memoryviews_own_nothing() -> None:
    source = bytearray(100_000)
    view = memoryview(source)[10:20]
    assert total(view) < 300
    assert sizes(view)["buffers"] == []


def check_instances() -> None:
    """Attributes stand in the object, beside it, or in a dict, by version; the sum is the same order."""
    thing = Attributes()
    assert 48 <= total(thing) <= 400
    if sys.version_info[:2] in ((3, 11), (3, 12)):
        assert len(sizes(thing)["buffers"]) == 1, "values that stand alone"
    dictionary = thing.__dict__
    assert total(thing) + total(dictionary) <= 600
    assert sum(len(sizes(one)["buffers"]) for one in (thing, dictionary)) <= 1


class Broken(ValueError):
    """An exception that is not called one."""


def check_words() -> None:
    expected = {
        "tuple (int, str)": (1, "2"),
        "dict (list, NoneType)": {"input": [], "error": None},
        "dict": dict.fromkeys(range(9)),
        "tuple of 5": (1,) * 5,
        "list": [1],
        "Attributes": Attributes(),
        "str": "secret",
        "OrderedDict": collections.OrderedDict(),
        "Broken exception": Broken(),
        "KeyError": KeyError(),
    }
    for words, thing in expected.items():
        assert sizes(thing)["words"] == words
        assert not sizes(thing)["opaque"]


run_checks(globals())
