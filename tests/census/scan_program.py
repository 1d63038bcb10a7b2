"""Objects and scans against what Python says of the same heap."""

from __future__ import annotations

import array
import collections
import functools
import gc
import io
import mmap
import sys
import types
from typing import Any, ClassVar

from scan_door import (
    allocated,
    forget,
    found,
    grown,
    run_checks,
    scan,
    scan_with_paths,
    seen,
    seen_at,
    tracked,
)


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


@functools.lru_cache(maxsize=400)
def answer(number: int) -> bytes:
    return bytes(5000 + number)


def check_what_an_lru_cache_has_answered_is_weighed() -> None:
    """Its dict leads to links, which the collector does not know."""
    forget()
    for number in range(4):
        answer(number)
        result = scan()
    answer(4)
    answer(5)
    result = scan()
    cache = next(dict_ for dict_ in gc.get_referents(answer) if type(dict_) is dict and 5 in dict_)
    found = grown(cache, result)
    assert found["length"] == 6, found
    assert 10_000 <= found["bytes"] <= 10_400, found
    assert found["elements"] == "2 x bytes", found


def check_what_a_file_in_memory_holds_is_weighed() -> None:
    """Its bytes are an object that the collector does not see, and that only it refers to."""
    files: list[io.BytesIO] = []
    forget()
    for number in range(5):
        file = io.BytesIO()
        file.write(bytes([number]) * 50_000)
        files.append(file)
        del file
        result = scan()
    one = grown(files, result)
    assert 50_000 < one["bytes"] < 60_000, one
    assert one["elements"] == "1 x BytesIO", one
    files[0].close()
    scan()


class Report:
    """A text that is joined with the next, and one that is replaced by its like."""

    text = ""

    def __init__(self) -> None:
        self.log, self.last = b"", ""


REPORT = Report()


def check_a_text_that_is_joined_with_the_next() -> None:
    forget()
    for number in range(7):
        REPORT.log = REPORT.log + bytes([number]) * 20_000
        Report.text = Report.text + f"{number}" * 30_000
        REPORT.last = f"{number}" * 90_000
        result = scan()
    for text, more in ((REPORT.log, 20_000), (Report.text, 30_000)):
        one = grown(text, result)
        assert more - 64 <= one["bytes"] <= more + 64, one
        assert 7 * more - 500 <= one["length"] <= 7 * more + 500, one
    assert grown(REPORT.last, result) is None


class Buffers:
    """Buffers and files in memory that are added to, and those that are as long as before."""

    def __init__(self) -> None:
        self.raw, self.numbers = bytearray(), array.array("d")
        self.file, self.log, self.read = io.BytesIO(), io.StringIO(), io.StringIO()
        self.ring, self.page, self.emptied = bytearray(200_000), io.BytesIO(bytes(200_000)), io.StringIO()


BUFFERS = Buffers()


def check_a_buffer_that_is_added_to_grows() -> None:
    forget()
    for number in range(7):
        BUFFERS.raw += bytes([number]) * 20_000
        BUFFERS.numbers.extend([float(number)] * 2500)
        BUFFERS.file.write(bytes([number]) * 20_000)
        BUFFERS.log.write(f"{number}" * 20_000)
        BUFFERS.read.write(f"{number}" * 20_000)
        BUFFERS.read.seek(0)
        BUFFERS.read.readline()
        BUFFERS.ring[number * 20_000 : (number + 1) * 20_000] = bytes([number]) * 20_000
        BUFFERS.page.seek(number * 20_000)
        BUFFERS.page.write(bytes([number]) * 20_000)
        BUFFERS.emptied.seek(0)
        BUFFERS.emptied.truncate()
        BUFFERS.emptied.write(f"{number}" * 90_000)
        result = scan()
    for grows, more in (
        (BUFFERS.raw, 20_000),
        (BUFFERS.numbers, 20_000),
        (BUFFERS.file, 20_000),
        (BUFFERS.log, 20_000),
        (BUFFERS.read, 80_000),
    ):
        one = grown(grows, result)
        assert one, type(grows)
        assert more - 64 <= one["bytes"] <= more + 64, one
        assert 7 * more - 64 <= one["length"] <= 7 * more, one
    for still in (BUFFERS.ring, BUFFERS.page, BUFFERS.emptied):
        assert grown(still, result) is None, type(still)
    BUFFERS.file.close()
    BUFFERS.log.close()
    scan()


class Batch:
    """The tokens of a batch, as many as its longest text has."""

    tokens = b""


BATCH = Batch()


def check_a_value_that_varies_grows_beyond_its_longest_alone() -> None:
    forget()
    told = {}
    for length in (100, 160, 80, 140, 70, 120, 150, 170, 180, 190, 50):
        BATCH.tokens = bytes(length * 1000)
        told[length] = grown(BATCH.tokens, scan())
    assert [length for length, one in told.items() if one] == [180, 190, 50], told
    assert told[190]["bytes"] // 64 == 10_000 // 64, told
    assert told[50]["bytes"] == 0, "it varies again"
    assert told[50]["before"] > told[50]["length"], told


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


def check_what_is_held_elsewhere_is_not_counted() -> None:
    everything = [bytes([number]) + bytes(10_000) for number in range(10)]
    shared: list[Any] = []
    mixed: list[Any] = []
    forget()
    for number in range(4):
        shared.append(everything[number])
        mixed.append((everything[number], bytes([number]) + bytes(1000)))
        result = scan()
    assert grown(shared, result)["shared"]
    one = grown(mixed, result)
    assert 1000 < one["bytes"] < 1300, one
    assert not one["shared"], one
    assert one["elements"].startswith("1 x tuple ("), one
    assert one["elements"].endswith(", bytes)"), one


def check_what_two_that_grow_have_in_common_is_counted_once() -> None:
    everything: list[Any] = []
    best: list[Any] = []
    reports: dict[int, list[Any]] = {}
    newest: list[Any] = []
    forget()
    for number in range(4):
        newest = []  # not seen to grow: it hangs below what does
        reports[number] = newest
        for part in range(10):
            taken = bytes([number, part]) + bytes(10_000)
            everything.append(taken)
            best.append(taken)
            newest.append(taken)
        del taken
        result = scan()
    found = [grown(one, result) for one in (everything, best)]
    counted, other = sorted(found, key=lambda one: -one["bytes"])
    assert 100_000 < counted["bytes"] < 110_000, found
    assert [one["shared"] for one in (counted, other)] == [False, True], found
    assert other["bytes"] == 0, found


def check_what_all_handlers_keep_is_counted_once() -> None:
    handlers: list[list[Any]] = []
    forget()
    number = 0
    # As scans come: close together at first, then some cycles apart. Each cycle brings one more that keeps
    # all from then on.
    for cycles in (1, 1, 1, 1, 2, 3):
        for _ in range(cycles):
            handlers.append([])
            for _ in range(20):
                number += 1
                record = bytes(str(number), "ascii") + bytes(5000)
                for handler in handlers:
                    handler.append(record)
        del record, handler
        result = scan()
    found = [grown(one, result) for one in handlers[:4]]
    counted, *others = sorted(found, key=lambda one: -one["bytes"])
    assert 300_000 < counted["bytes"] < 310_000, found
    assert not counted["shared"], found
    assert all(one["shared"] and one["bytes"] == 0 for one in others), found


def check_the_newest_element_may_still_be_in_a_variable() -> None:
    saved: list[Any] = []
    forget()
    for number in range(4):
        newest = bytes([number]) + bytes(10_000)
        saved.append(newest)
        result = scan()
    assert newest is saved[-1]
    one = grown(saved, result)
    assert 10_000 < one["bytes"] < 10_100, one
    assert not one["shared"], one


def check_nested_elements_weigh_what_is_below_them() -> None:
    saved: list[Any] = []
    forget()
    for number in range(4):
        saved.append({"a": [bytes([number]) + bytes(2000)], "b": Plain(), "self": saved})
        result = scan()
    one = grown(saved, result)
    assert 2000 < one["bytes"] < 3500, one
    saved.clear()


def check_many_elements_are_weighed_by_a_part() -> None:
    rows: list[Any] = []
    forget()
    for start in range(4):
        rows.extend((float(start * 30_000 + number), float(-number - 1)) for number in range(30_000))
        result = scan()
    one = grown(rows, result)
    each = allocated(seen((1.5, 2.5))["bytes"]) + 2 * allocated(seen(1.5)["bytes"])
    assert each == 64 + 2 * 32, "what Python's allocator takes for them, in steps of 16 bytes"
    assert one["elements"] == "30,000 x tuple (float, float)", one
    assert abs(one["bytes"] - 30_000 * each) < 0.02 * 30_000 * each, (one, each)


def check_heavy_elements_are_weighed_by_a_few_of_them() -> None:
    """Fifteen models at once are more than a look may walk; two are not."""
    container: list[Any] = []
    forget()

    def model() -> list[Any]:
        layers: list[Any] = [bytearray(100_000)]
        for _ in range(4000):
            layers = [layers]
        return layers

    for _ in range(3):
        container.extend(model() for _ in range(15))
        one = grown(container, scan())
    assert one["length"] - one["before"] == 15
    each = 100_057 + 4000 * (allocated(seen([None])["bytes"]) + allocated(8))
    assert 0.95 * 15 * each < one["bytes"] < 1.05 * 15 * each, (one, each)
    assert one["elements"] == "15 x list", one
    assert not one["partial"], one


def check_types_are_counted() -> None:
    forget()
    scan()
    kept = [Plain() for _ in range(50)]
    types_ = {name: (count, change) for name, count, change in scan()["types"]}
    mine = types_["__main__.Plain"]
    assert mine[0] >= 50, mine
    assert mine[1] == 50, mine
    kept.clear()
    types_ = {name: (count, change) for name, count, change in scan()["types"]}
    assert types_["__main__.Plain"][1] == -50


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
