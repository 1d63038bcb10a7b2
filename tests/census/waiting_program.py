"""Garbage that waits for the collector, by when it was made."""

from __future__ import annotations

import gc
import sys
from typing import Any

from scan_door import found, run_checks, waiting


class Node:
    __slots__ = ("name", "other", "payload")

    def __init__(self) -> None:
        self.other: Any = None
        self.payload: Any = None
        self.name = ""


def pairs(count: int, kept: list[Node] | None = None) -> None:
    """Makes rings of two; those that are kept live, the others are garbage."""
    for number in range(count):
        one, two = Node(), Node()
        one.other, two.other = two, one
        one.payload = [0] * 100
        one.name = f"node {number}"
        two.name = one.name * 100
        if kept is not None:
            kept.append(one)


def grow_old() -> None:
    """What lives, or waits, is moved to the oldest generation.

    Garbage is collected where it is young: a ring gets old only while something holds it.
    """
    gc.collect(1)


def old_garbage(count: int) -> None:
    held: list[Node] = []
    pairs(count, held)
    grow_old()
    held.clear()


def check_garbage_behind_each_mark() -> None:
    if found()["version"] >= [3, 14]:
        return
    gc.collect()
    first: list[object] = []
    grow_old()
    old_garbage(30)
    second: list[object] = []
    grow_old()
    old_garbage(50)
    lives: list[Node] = []
    pairs(40, lives)
    grow_old()
    assert waiting(first, second)["behind"][1]["young"] == 0
    # Young garbage is behind every mark.
    pairs(10)
    seen = waiting(first, second)
    # Two nodes and a list of each ring; the variable of `pairs` was the last to hold one of them.
    older, younger = seen["behind"]
    assert [older["mark"], younger["mark"]] == [0, 1], seen
    assert (older["objects"], younger["objects"]) == (3 * 90, 3 * 60), seen
    # The long name is left out.
    ring = 2 * sys.getsizeof(Node()) + sys.getsizeof([0] * 100) + sys.getsizeof("node 10")
    assert abs(younger["bytes"] / 60 - ring) < 0.1 * ring, (seen, ring)
    assert abs(younger["young"] / 10 - ring) < 0.1 * ring, (seen, ring)
    assert seen["looked"] >= 3 * 120, seen
    assert len(lives) == 40


def check_what_hangs_on_a_live_object_is_none() -> None:
    if found()["version"] >= [3, 14]:
        return
    gc.collect()
    mark: list[object] = []
    grow_old()
    old_garbage(20)
    lives: list[Node] = []
    pairs(20, lives)
    # Held by an object that is older than the mark, and by one that Python does not see.
    check_what_hangs_on_a_live_object_is_none.kept = [lives.pop()]  # type: ignore[attr-defined]
    lives.clear()
    grow_old()
    seen = waiting(mark, mark)
    assert seen["behind"][0]["objects"] == 3 * 20, seen
    del check_what_hangs_on_a_live_object_is_none.kept  # type: ignore[attr-defined]
    gc.collect()
    after = waiting(mark, mark)
    assert after is None or after["behind"][0]["objects"] == 0, after


def check_where_nothing_can_be_told() -> None:
    if found()["version"] >= [3, 14]:
        return
    gc.collect()
    mark: list[object] = []
    assert waiting(mark, mark) is None, "the mark is young"
    grow_old()
    old_garbage(30)
    assert waiting(mark, mark) is not None
    assert waiting(mark, mark, 10) is None, "too many objects behind it"
    gc.freeze()
    assert waiting(mark, mark) is None, "the mark is frozen"
    gc.unfreeze()


run_checks(dict(globals()))
