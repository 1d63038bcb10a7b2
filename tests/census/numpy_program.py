"""numpy's arrays: who owns the bytes, what a view keeps, what an array of objects holds."""

from __future__ import annotations

import collections
import sys
from typing import Any

import numpy as np
from scan_door import forget, grown, run_checks, scan, seen, sizes


def data(array: Any) -> list[tuple[int, int]]:
    """Buffers of an array but that of its shape."""
    return [
        (at, size) for at, size, _ in sizes(array)["buffers"] if at == array.__array_interface__["data"][0]
    ]


def check_arrays_own_their_bytes() -> None:
    kinds = ["?", "i1", "u2", "f2", "i4", "f4", "f8", "c16", "g", "S7", "U5", "M8[s]", "m8[s]", "V12", ">f4"]
    kinds += [[("a", "f4"), ("b", "i8", (3,))], "O"]
    for kind in kinds:
        for shape in [(), (1,), (7,), (200, 50), (3, 4, 5, 6), (0, 5)]:
            array = np.zeros(shape, np.dtype(kind))
            ((_, size),) = data(array)
            assert size == max(array.nbytes, 1), (kind, shape, size, array.nbytes)
            total = seen(array)["bytes"] + sum(size for _, size, _ in sizes(array)["buffers"])
            assert abs(total - sys.getsizeof(array)) <= 16, (kind, shape, total, sys.getsizeof(array))


def check_views_own_nothing_and_keep_their_base() -> None:
    base = np.zeros((1000, 100))
    for view in (
        base[10:20],
        base.T,
        base.reshape(-1),
        base[::-1],
        base[0][3:4],
        np.asarray(memoryview(base)),
    ):
        assert data(view) == [], view.shape
        hidden = sizes(view)["hidden"]
        assert id(view.base) in hidden
    assert data(np.frombuffer(b"12345678", "f8")) == []


class Kind(np.ndarray):
    pass


def check_kinds_of_arrays() -> None:
    matrix = np.zeros((50, 60)).view(Kind)
    assert data(matrix) == []
    copied = matrix.copy()
    assert type(copied) is Kind
    ((_, size),) = data(copied)
    assert size == copied.nbytes
    recorded = np.recarray((100,), dtype=[("a", "f8")])
    assert sum(size for _, size, _ in sizes(recorded)["buffers"]) >= 800
    masked = np.ma.masked_array(np.zeros(1000), mask=np.zeros(1000, bool))
    assert sizes(masked)["words"].startswith("MaskedArray (1000,)")
    assert sizes(np.float64(1.5))["buffers"] == []


def check_arrays_of_objects_hold_them() -> None:
    things = [object(), [1], "text"]
    array = np.array([*things, None], dtype=object)
    hidden = sizes(array)["hidden"]
    for thing in [*things, None]:
        assert id(thing) in hidden
    grid = np.asfortranarray(np.array([[[], []], [[], []]], dtype=object).reshape(-1)[:0])
    sizes(grid)
    fresh = np.empty(1000, dtype=object)
    assert set(sizes(fresh)["hidden"]) - {id(None)} <= {id(fresh.dtype)}


def check_words() -> None:
    assert sizes(np.zeros((2000, 500)))["words"] == "ndarray (2000, 500) float64"
    assert sizes(np.zeros(3, "f4"))["words"] == "ndarray (3,) float32"
    assert sizes(np.float32(1))["words"] == "float32"
    whole = np.zeros((20, 500))
    assert sizes(whole.reshape(-1))["words"] == "ndarray (10000,) float64"
    assert sizes(whole[3])["words"] == "slice (500,) of ndarray (20, 500) float64"
    rows = list(whole)
    assert sizes(rows[3])["words"] == "ndarray (500,) float64", "together they are all of it"


class Log:
    """Keeps one array of all rows, in an attribute and for its class; another is replaced by its like."""

    every = np.zeros((0, 8))

    def __init__(self) -> None:
        self.rows = np.zeros((0, 8))
        self.last = np.zeros((4000, 8))


ROWS = np.zeros((0, 8))
LOG = Log()


def check_an_array_that_is_joined_with_the_next() -> None:
    global ROWS
    forget()
    for number in range(7):
        more = np.full((1000, 8), number)
        LOG.rows = np.concatenate([LOG.rows, more])
        Log.every = np.concatenate([Log.every, more])[-3500:]
        ROWS = np.concatenate([ROWS, more])[:]
        LOG.last = np.random.rand(4000, 8)
        result = scan()
    for array in (LOG.rows, ROWS):
        one = grown(array, result)
        assert one["bytes"] == 1000 * 8 * 8, one
        assert (one["length"], one["kind"]) == (7000 * 8 * 8, "numpy.ndarray"), one
        assert one["elements"] == "ndarray (7000, 8) float64", one
    told = [one["address"] for one in result["grown"]]
    assert id(LOG.last) not in told
    assert id(Log.every) not in told, "it is as long as it will be"


def longer(first: Any, then: Any) -> Any:
    return np.concatenate([first, then])


def check_a_variable_that_is_joined_with_the_next() -> None:
    forget()
    rows, window = np.zeros((0, 8)), np.zeros((0, 8))
    by_number = {}
    for number in range(7):
        more = np.full((1000 + number, 8), number)
        rows = longer(rows, more[:1000])
        window = longer(window, more[:1000])[-3500:].copy()
        by_number[number] = more
        result = scan()
    one = grown(rows, result)
    assert one is not None
    assert (one["bytes"], one["length"]) == (1000 * 8 * 8, 7000 * 8 * 8), one
    assert grown(window, result) is None, "it is as long as it will be"
    one = grown(by_number, result)
    assert one is not None, "a dict of numbers to arrays is not the collector's"
    assert one["length"] == 7, one


def check_growing_lists_of_arrays() -> None:
    plain: list[Any] = []
    slices: list[Any] = []
    objects: list[Any] = []
    queue: collections.deque[Any] = collections.deque()
    by_epoch: dict[int, Any] = {}
    forget()
    for number in range(4):
        plain.append(np.full((200, 500), number, "f4"))
        slices.append(np.zeros((1000, 100))[:2])
        objects.append(np.array([bytes([number]) + bytes(9000), None], dtype=object))
        queue.append(np.zeros(5000))
        by_epoch[number] = {"out": np.zeros(7000)}
        result = scan()
    for container, size in (
        (plain, 400_000),
        (slices, 800_000),
        (objects, 9000),
        (queue, 40_000),
        (by_epoch, 56_000),
    ):
        one = grown(container, result)
        assert size < one["bytes"] < size + 1000, one
    assert grown(plain, result)["elements"] == "1 x ndarray (200, 500) float32"


run_checks(globals())
