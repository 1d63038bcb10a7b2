"""Scans of containers against what Python says of the same heap."""

from __future__ import annotations

import collections
import functools
import gc
import sys
from typing import Any, ClassVar

from own_types import MyDeque, MyDict, MyList, MySet, Plain
from scan_door import (
    forget,
    grown,
    run_checks,
    scan,
    scan_with_paths,
)


class Holder:
    def __init__(self) -> None:
        self.saved: list[Any] = []
        self.by_epoch: dict[int, Any] = {}


def grow(container: Any, element: Any) -> None:
    if isinstance(container, dict):
        container[(len(container), 7)] = element
    elif isinstance(container, set):
        container.add(element)
    else:
        container.append(element)


def check_each_kind_of_container_is_seen_to_grow() -> None:
    containers: list[Any] = [
        [], {}, set(), collections.deque(), collections.OrderedDict(), collections.defaultdict(list),
        MyList(), MyDict(), MySet(), MyDeque(), collections.Counter(),
    ]  # fmt: skip
    still: list[Any] = [list(range(9)), dict.fromkeys(range(9)), set(range(9)), collections.deque(range(9))]
    forget()
    for round_ in range(4):
        for container in containers:
            grow(container, b"%d" % round_ + bytes(10_000))
        result = scan()
        assert result["whole"]
        if round_ < 2:
            assert not any(grown(container, result) for container in containers), "two scans are too few"
    for container in containers:
        one = grown(container, result)
        assert one, type(container)
        assert (one["length"], one["before"], one["first"], one["scans"]) == (4, 3, 1, 4), one
        assert one["elements"] == "1 x bytes", one
        assert 10_000 < one["bytes"] < 10_400, one
        assert not one["native"]
        assert not one["shared"]
        assert not one["partial"]
    assert not any(grown(container, result) for container in still)


def check_what_this_tool_counts_by_is_nobodys_growth() -> None:
    # As it follows the objects of the program; no root leads to it.
    mark = type("Mark", (list,), {"__module__": "nilometer.hooks.alive"})
    ours: dict[int, Any] = {}
    forget()
    for number in range(6):
        ours[number] = mark([bytes(10_000)])
        result = scan()
    assert not grown(ours, result), result["grown"]
    assert not result["promising"]


def check_dicts_that_are_not_tracked() -> None:
    """Below an instance, in a closure, a class, a default argument, a cache."""
    holder, outer, inner = Holder(), {"a": {}}, {}

    class WithClassAttribute:
        seen: ClassVar[dict[int, bytes]] = {}

    def closure(key: int) -> None:
        inner[key] = bytes(5000)

    def default(key: int, memo: dict[int, bytes] = {}) -> dict[int, bytes]:  # noqa: B006
        memo[key] = bytes(5000)
        return memo

    @functools.cache
    def cached(key: int) -> bytes:
        return bytes(5000)

    holder.nested = outer  # type: ignore[attr-defined]
    forget()
    for key in range(5):
        holder.by_epoch[key] = outer["a"][key] = WithClassAttribute.seen[key] = bytes(5000)
        holder.by_epoch[key] = bytes(5000)
        closure(key)
        memo = default(key)
        cached(key)
        result = scan()
    for name, container in {
        "instance": holder.by_epoch,
        "nested": outer["a"],
        "closure": inner,
        "default": memo,
    }.items():
        assert not gc.is_tracked(container) or sys.version_info >= (3, 14)
        one = grown(container, result)
        assert one, (name, one)
        assert one["length"] == 5, (name, one)
        assert one["before"] == 4, (name, one)
    assert grown(WithClassAttribute.seen, result)
    assert grown(holder.by_epoch, result)["bytes"] > 5000
    known = [holder.by_epoch, outer["a"], inner, memo, WithClassAttribute.seen]
    others = [one for one in result["grown"] if one["address"] not in map(id, known)]
    assert any(one["length"] == 5 and one["bytes"] > 5000 for one in others), "the cache"


def check_a_container_that_is_emptied_does_not_grow() -> None:
    buffer: list[bytes] = []
    forget()
    for round_ in range(8):
        buffer.extend(bytes(10) for _ in range(5))
        if round_ % 2:
            buffer.clear()
        assert grown(buffer, scan()) is None


def check_the_second_scan_says_whether_more_may_tell() -> None:
    history: list[float] = []
    kept: list[bytes] = []
    many: list[list[None]] = [[] for _ in range(100)]

    def promising(change: Any) -> bool:
        forget()
        assert not scan()["promising"], "the first scan has nothing to compare with"
        change()
        return bool(scan()["promising"])

    assert not promising(lambda: None)
    assert not promising(lambda: history.append(0.5)), "what any training notes"
    assert promising(lambda: kept.append(bytes(5000)))
    assert promising(lambda: kept.extend(bytes([number]) + bytes(90) for number in range(20)))
    assert promising(lambda: [one.append(None) for one in many]), "too many to be weighed"


def check_types_are_counted() -> None:
    forget()
    scan()
    kept = [Plain() for _ in range(50)]
    types_ = {name: (count, change) for name, count, change in scan()["types"]}
    mine = types_["own_types.Plain"]
    assert mine[0] >= 50, mine
    assert mine[1] == 50, mine
    kept.clear()
    types_ = {name: (count, change) for name, count, change in scan()["types"]}
    assert types_["own_types.Plain"][1] == -50


SAVED: list[Any] = []
HOLDER = Holder()


def check_what_grows_has_its_path() -> None:
    for cycle in range(5):
        SAVED.append(bytes(3000))
        HOLDER.by_epoch[cycle] = bytes(20_000)
        result = scan_with_paths(cycle)
    assert result["cycle"] == 4
    heaviest = grown(HOLDER.by_epoch, result)
    assert heaviest["path"] == "__main__.HOLDER.by_epoch[*]", heaviest
    assert result["grown"][0] == heaviest
    assert grown(SAVED, result)["path"] == "__main__.SAVED[*]", result


def check_limits_cut_a_scan_short() -> None:
    kept: list[Any] = []
    forget(objects=1000)
    for _ in range(4):
        kept.append([])
        result = scan()
        assert not result["whole"]
        assert result["objects"] == 1000
        assert result["types"] == []
    many = [[] for _ in range(200_000)]
    forget(walk_ms=1)
    result = scan()
    assert not result["whole"]
    assert result["objects"] < len(many)


def check_nothing_is_held_or_made() -> None:
    holder = Holder()
    saved = holder.saved
    things = [holder, saved, holder.by_epoch, Holder, None, (), Plain, sys.modules]
    forget()
    for _ in range(3):
        saved.append(bytes(100))
        holder.by_epoch[len(saved)] = bytes(100)
        scan()
    gc.collect()
    gc.disable()
    try:
        counts = [sys.getrefcount(thing) for thing in things]
        objects = len(gc.get_objects())
        for _ in range(5):
            scan()
        assert [sys.getrefcount(thing) for thing in things] == counts
        assert abs(len(gc.get_objects()) - objects) < 20, "JSON's own"
        assert gc.get_count()[2] <= 1000
        assert not gc.isenabled()
    finally:
        gc.enable()


run_checks(globals())
