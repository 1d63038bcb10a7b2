"""Objects against what Python says of the same heap."""

from __future__ import annotations

import array
import collections
import functools
import gc
import mmap
import sys
import types
from typing import Any

from own_types import MyDeque, MyDict, MyError, MyList, MySet, MyTuple, Plain, Slots
from scan_door import (
    found,
    run_checks,
    seen,
    seen_at,
    tracked,
)

KINDS: list[Any] = [
    [1, 2, 3], [], (1, 2), (), {1: 2}, {}, {"a": []}, set(range(100)), set(), frozenset((1,)),
    collections.deque([1] * 200), collections.deque(), collections.deque([1, 2], maxlen=2),
    collections.OrderedDict(a=1), collections.Counter("abc"), collections.defaultdict(list),
    MyDict(a=1), MyList([1]), MyTuple((1, 2, 3)), MySet([1]), MyDeque([1]),
    Plain(), Slots(), MyError("x"), Plain, int, type, len, seen, sys, memoryview(b"abc"),
    array.array("d", [1.0] * 10), mmap.mmap(-1, 4096), (i for i in ()), functools.partial(seen), slice(1, 2),
    None, object(), range(10), types.SimpleNamespace(a=1), 1.5, 2**100, "text", b"bytes", bytearray(b"x"),
]  # fmt: skip
COUNTED = (list, tuple, dict, set, frozenset, collections.deque)


def check_it_is_found() -> None:
    assert found() == {"version": list(sys.version_info[:2])}, found()


def check_objects_are_what_python_says() -> None:
    for thing in KINDS:
        before = sys.getrefcount(thing)
        facts = seen(thing)
        assert sys.getrefcount(thing) == before, thing
        length = len(thing) if isinstance(thing, COUNTED) else None
        assert facts["length"] == length, (thing, facts)
        assert facts["tracked"] == gc.is_tracked(thing), (thing, facts)
        assert facts["gc"] or not gc.is_tracked(thing), thing
        kind = type(thing)
        module = "" if kind.__module__ == "builtins" else kind.__module__ + "."
        assert facts["type"] == module + kind.__qualname__, facts
        if facts["gc"]:
            assert sorted(facts["children"]) == sorted(map(id, gc.get_referents(thing))), (thing, facts)


def check_blocks_hold_their_objects() -> None:
    """The block is what the object's own `__sizeof__` says and what stands before the object."""
    for thing in [[1], {1: []}, set(), (1, 2), 1.5, 2**100, b"bytes", "text", object(), slice(1), seen]:
        facts = seen(thing)
        own = type(thing).__sizeof__(thing)
        if isinstance(thing, list):
            own = list.__basicsize__
        if isinstance(thing, dict):
            own = dict.__basicsize__
        before = id(thing) - facts["start"]
        assert before in (0, 16), facts
        assert facts["bytes"] - before == (own + 7) // 8 * 8 or isinstance(thing, str), (thing, own, facts)
    instance = seen(Plain())
    assert instance["bytes"] >= sys.getsizeof(object()) + 32, "the collector's head, the dictionary's place"


def check_references_are_counted() -> None:
    thing = [object()]
    alone = seen(thing)["references"]
    others = [thing] * 7
    assert seen(thing)["references"] == alone + 7, others
    assert abs(seen(thing)["references"] - sys.getrefcount(thing)) <= 1
    if sys.version_info >= (3, 12):
        assert seen(None)["references"] == 2**64 - 1


def check_what_waits_on_a_stack_is_counted_once() -> None:
    """From 3.14 on a stack refers to variables without counting, and CPython's traversal shows that, too."""

    def waiting() -> Any:
        held = [1]
        (held, (yield id(held)), held)

    async def calling() -> None:
        held = [2]
        (held, await once(id(held)), held)

    @types.coroutine
    def once(address: int) -> Any:
        yield address

    async def producing() -> Any:
        held = [3]
        (held, (yield id(held)), held)

    generator, coroutine, producer = waiting(), calling(), producing()
    addresses = {generator: next(generator), coroutine: coroutine.send(None)}
    try:
        producer.asend(None).send(None)
    except StopIteration as stop:
        addresses[producer] = stop.value
    # 3.10 shows what a generator has only through a frame object.
    for one, address in addresses.items() if sys.version_info >= (3, 11) else ():
        assert seen_at(address)["references"] == seen(one)["children"].count(address), one
    assert len(addresses) == 3
    coroutine.close()


def check_all_that_is_tracked_is_visited() -> None:
    gc.collect()
    mine = tracked()
    assert len(mine) == len(set(mine)), "each once"
    theirs = {id(thing) for thing in gc.get_objects()}
    # What was made for the comparison, and nothing else.
    assert len(theirs - set(mine)) <= 4, len(theirs - set(mine))
    assert len(set(mine) - theirs) <= 4 + gc.get_freeze_count(), len(set(mine) - theirs)


def check_frozen_objects_are_visited_too() -> None:
    mark = [object()]
    gc.freeze()
    try:
        assert id(mark) in set(tracked())
    finally:
        gc.unfreeze()


run_checks(globals())
