"""Heaps that would harm a tool that asks objects, trusts them, or waits for them."""

from __future__ import annotations

import collections
import ctypes
import gc
import sys
import threading
import types
import weakref
from typing import Any

from scan_door import allocated, forget, grown, run_checks, scan, seen, sizes, tracked

TOUCHED: list[str] = []


class Hostile:
    """Says so when anything of it is run, and fails."""

    def _touched(self, *arguments: Any) -> Any:
        TOUCHED.append("touched")
        raise RuntimeError("the census ran user code")

    __repr__ = __str__ = __len__ = __bool__ = __iter__ = __sizeof__ = __dir__ = _touched
    __eq__ = __hash__ = __getattr__ = __format__ = __reduce_ex__ = __index__ = _touched
    shape = property(_touched)
    __class__ = property(_touched)  # type: ignore[assignment]


class HostileMeta(type):
    def __getattribute__(cls, name: str) -> Any:
        TOUCHED.append(name)
        raise RuntimeError("the census ran user code")


class HostileList(list):
    __len__ = __iter__ = __getitem__ = __repr__ = __sizeof__ = Hostile._touched  # type: ignore[assignment]


class HostileDict(dict):
    __len__ = __iter__ = __getitem__ = keys = values = items = __repr__ = Hostile._touched  # type: ignore[assignment]


class HostileKey:
    def __init__(self) -> None:
        self.armed = False

    def __hash__(self) -> int:
        if self.armed:
            TOUCHED.append("hash")
            raise RuntimeError
        return 7

    def __eq__(self, other: object) -> bool:
        if self.armed:
            TOUCHED.append("eq")
            raise RuntimeError
        return self is other


def check_no_code_of_the_user_is_run() -> None:
    saved, by_key, hostile_list = [], {}, HostileList()
    hostile_dict, kinds, keys = HostileDict(), [], []
    forget()
    for number in range(4):
        saved.append(Hostile())
        key = HostileKey()
        by_key[key] = (Hostile(), Hostile())
        keys.append(key)
        key.armed = True
        list.append(hostile_list, Hostile())
        dict.__setitem__(hostile_dict, number, Hostile())
        kinds.append(HostileMeta("Kind", (), {}))
        result = scan()
        key.armed = False
    for key in keys:
        key.armed = True
    for thing in (saved, by_key, hostile_list, hostile_dict, kinds, *saved, *kinds):
        seen(thing)
        sizes(thing)
    for thing in (saved, by_key, hostile_list, hostile_dict):
        one = grown(thing, result)
        assert one, one
        assert one["length"] == 4, one
        assert one["bytes"] > 0, one
    TOUCHED.extend(() if grown(kinds, result) else ("the list of classes is not seen",))
    for key in keys:
        key.armed = False
    assert TOUCHED == [], TOUCHED


def check_a_million_elements() -> None:
    many = [float(number) for number in range(1_000_000)]
    forget()
    for start in range(3):
        many.extend(float(-number - 1) for number in range(start, 1_000_000))
        result = scan()
    one = grown(many, result)
    assert one["length"] == len(many)
    each = allocated(sys.getsizeof(1.5))
    new = one["length"] - one["before"]
    assert abs(one["bytes"] - new * each) < 0.05 * new * each, one


def check_deep_nesting() -> None:
    """Nothing here calls itself; a million levels are a loop's."""
    deep: Any = []
    for _ in range(300_000):
        deep = [deep]
    holder: list[Any] = []
    forget()
    for _ in range(4):
        inner: Any = []
        for _ in range(30_000):
            inner = [inner]
        holder.append(inner)
        del inner
        result = scan()
    one = grown(holder, result)
    assert one["partial"], one
    assert one["bytes"] > 100_000, one
    while deep:
        deep = deep[0]
    while holder:
        part = holder.pop()
        while part:
            part = part[0]


def check_cycles() -> None:
    saved: list[Any] = []
    forget()
    for number in range(4):
        first: dict[str, Any] = {"data": bytes([number]) + bytes(5000), "saved": saved}
        second = [first]
        first["second"], first["self"] = second, first
        saved.append(first)
        del first, second
        result = scan()
    one = grown(saved, result)
    assert 5000 < one["bytes"] < 6500, one
    saved.clear()


def check_weak_references_hold_nothing() -> None:
    class Target:
        def __init__(self) -> None:
            self.data = bytes(50_000)

    strong, weak = [], []
    table = weakref.WeakValueDictionary()  # type: ignore[var-annotated]
    forget()
    for number in range(4):
        strong.append(Target())
        weak.append(weakref.ref(strong[-1]))
        table[number] = strong[-1]
        result = scan()
    one = grown(weak, result)
    assert one, one
    assert one["bytes"] < 1000, one
    assert grown(strong, result)["bytes"] > 50_000


def check_objects_that_are_half_made() -> None:
    """Lists and tuples with empty places, cells without a value, frames that run."""
    new_tuple = ctypes.pythonapi.PyTuple_New
    new_tuple.argtypes, new_tuple.restype = (ctypes.c_ssize_t,), ctypes.c_void_p
    address = new_tuple(10)
    ctypes.c_uint64.from_address(address).value += 1
    holder: list[Any] = [ctypes.cast(address, ctypes.py_object).value]
    new_list = ctypes.pythonapi.PyList_New
    new_list.argtypes, new_list.restype = (ctypes.c_ssize_t,), ctypes.py_object
    forget()
    for _ in range(4):
        holder.append(new_list(5))
        assert grown(holder, scan()) is not None or len(holder) < 4
    seen(holder[0])
    sizes(holder[0])
    for unmade in holder[1:]:
        seen(unmade)
        unmade.clear()
    seen(sys._getframe())
    generator = (number for number in range(3))
    next(generator)
    for thing in (
        generator,
        sys._getframe(),
        types.CellType(),
        types.SimpleNamespace.__new__(types.SimpleNamespace),
        type("Empty", (), {}),
    ):
        seen(thing)
        sizes(thing)


def check_uninitialised_instances() -> None:
    """What `__new__` made and `__init__` never filled."""
    import array
    import io

    kinds: list[Any] = [
        list,
        dict,
        set,
        frozenset,
        collections.deque,
        collections.OrderedDict,
        bytearray,
        Exception,
    ]
    kinds += [io.BytesIO, io.StringIO, io.TextIOWrapper, collections.defaultdict, threading.local]
    holder: list[Any] = []
    forget()
    for kind in kinds:
        thing = kind.__new__(kind)
        seen(thing)
        sizes(thing)
        holder.append(thing)
        scan()
    holder.append(array.array.__new__(array.array, "d"))
    sizes(holder[-1])
    assert grown(holder, scan())


def check_extension_types_without_traverse() -> None:
    class Pair(ctypes.Structure):
        _fields_ = (("first", ctypes.c_int), ("second", ctypes.py_object))

    saved: list[Any] = []
    forget()
    for _ in range(4):
        saved.append(Pair(1, [bytes(100)]))
        result = scan()
    assert grown(saved, result)
    import _ctypes

    for thing in (
        saved[0],
        _ctypes,
        ctypes.c_char_p(b"x"),
        ctypes.pythonapi.PyList_New,
        iter(saved),
        iter({}),
        range(3),
    ):
        seen(thing)
        sizes(thing)


def check_objects_freed_between_scans() -> None:
    forget()
    for round_ in range(12):
        churn = [[number] * (round_ + number % 3) for number in range(5000)]
        dicts = [dict.fromkeys(range(round_ + number % 5)) for number in range(3000)]
        result = scan()
        assert result["whole"]
        del churn, dicts
        if round_ % 3 == 0:
            gc.collect()


def check_threads_that_change_everything() -> None:
    stop = threading.Event()
    shared: list[Any] = [{}, [], set(), collections.deque()]

    def churn(seed: int) -> None:
        number = seed
        while not stop.is_set():
            number += 1
            shared[0][number] = [number]
            shared[1].append({number: object()})
            shared[2].add((number,))
            shared[3].append(object())
            kind = type("Kind", (), {"x": number})
            instance = kind()
            instance.y = instance
            if number % 50 == 0:
                for container in shared:
                    container.clear()

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    threads = [threading.Thread(target=churn, args=(seed * 10**6,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    forget()
    try:
        for _ in range(60):
            assert scan()["whole"]
            tracked()
    finally:
        stop.set()
        for thread in threads:
            thread.join()
        sys.setswitchinterval(interval)


def check_scans_during_a_collection() -> None:
    """Finalizers and callbacks run in the midst of a collection, when lists are in pieces."""
    seen_counts: list[int] = []

    class Final:
        def __init__(self) -> None:
            self.me = self

        def __del__(self) -> None:
            seen_counts.append(scan()["objects"])

    def callback(phase: str, info: dict[str, int]) -> None:
        seen_counts.append(scan()["objects"])

    forget()
    gc.callbacks.append(callback)
    try:
        for _ in range(5):
            Final()
        for generation in (0, 1, 2):
            gc.collect(generation)
    finally:
        gc.callbacks.remove(callback)
    assert len(seen_counts) >= 11, seen_counts
    assert min(seen_counts) > 1000, seen_counts


def check_strange_modules() -> None:
    """Walks begin at modules, too, which may be anything; each object is met once, frozen ones too."""
    kept = dict(sys.modules)
    strange: list[Any] = [None, 5, "x", (1, 2), [[]], {}, Hostile, object(), range(3), types.ModuleType("m")]
    sys.modules.update({f"strange {place}": thing for place, thing in enumerate(strange)})
    try:
        for many in (0, 70, 3000):
            sys.modules.update({f"fake {place}": types.ModuleType("fake") for place in range(many)})
            for change in (gc.collect, gc.freeze, gc.unfreeze):
                change()
                seen_now = tracked()
                assert len(seen_now) == len(set(seen_now))
                missing = {id(thing) for thing in gc.get_objects()} - set(seen_now)
                assert len(missing) <= 3, (many, change, len(missing))  # what came since
    finally:
        for name in set(sys.modules) - set(kept):
            del sys.modules[name]


def check_counts_of_references_are_as_before() -> None:
    things = [Hostile, None, (), sys.modules, list, collections.OrderedDict, TOUCHED, check_cycles]
    saved: list[Any] = []
    forget()
    gc.collect()
    before = [sys.getrefcount(thing) for thing in things]
    for _ in range(10):
        saved.append([things])
        scan()
    saved.clear()
    assert [sys.getrefcount(thing) for thing in things] == before


run_checks(globals())
