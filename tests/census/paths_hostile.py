"""Objects that fight back: the census must neither call them, nor change them, nor fall over them."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import json
import os
import sys
import threading
import time
from typing import Any

import paths_door as door

said: dict[str, Any] = {}


class Called(Exception):
    """Somebody ran the object's code."""


calls: list[str] = []


def refuse(name: str) -> Any:
    """A method that says it was called, and fails."""

    def method(*arguments: object, **named: object) -> Any:
        calls.append(name)
        raise Called(name)

    return method


class Meta(type):
    """A class that answers for its attributes itself."""

    __getattribute__ = refuse("meta getattribute")
    __instancecheck__ = refuse("instancecheck")
    __hash__ = refuse("meta hash")


METHODS = ["repr", "str", "eq", "hash", "len", "getattribute", "iter", "contains", "bool", "sizeof", "dir"]


class Hostile:
    """Every method fails."""


class HostileList(list):  # type: ignore[type-arg]
    """As above."""


class HostileDict(dict):  # type: ignore[type-arg]
    """As above."""


class HostileKey:
    """A key whose comparison fails once it is in the dict."""

    def __hash__(self) -> int:
        return 1


HOSTILE: list[Any] = []


def prepare() -> list[int]:
    """Containers below hostile objects; hostile methods come after they are filled."""
    addresses = []
    for kind in (Hostile, HostileList, HostileDict):
        instance: Any = kind()
        instance.saved = []
        HOSTILE.append(instance)
        addresses.append(id(instance.saved))
        if kind is HostileDict:
            dict.__setitem__(instance, HostileKey(), within := [])
            addresses.append(id(within))
    HOSTILE.append(Meta("Strange", (), {"kept": (strange := [])}))
    addresses.append(id(strange))
    for kind in (Hostile, HostileList, HostileDict, HostileKey):
        for name in METHODS:
            setattr(kind, f"__{name}__", refuse(name))
    return addresses


def hostile() -> None:
    """No method is called."""
    found = door.find(*prepare())
    said["hostile"] = [path and path["text"] for path in found]
    door.whole([door.block(id(each)) for each in HOSTILE])
    said["calls"] = calls


class Plain:
    """Attributes, and nobody asks for its dict."""

    def __init__(self) -> None:
        self.first: list[Plain] = []
        self.second = "x"


def unchanged() -> None:
    """References are as before, and no instance has got a dict."""
    kept = [Plain() for _ in range(100)]
    addresses = [id(each.first) for each in kept]
    blocks = [door.block(address) for address in addresses]
    shown = [len(gc.get_referents(each)) for each in kept]
    paths, whole = door.find(*addresses), door.whole(blocks)
    texts = {path["text"] for path in paths} | {holder["path"]["text"] for holder in whole["holders"]}
    said["folded"] = sorted(texts)
    del paths, whole, texts
    watched: list[Any] = [kept, *kept, *[each.first for each in kept], Plain, door, json]
    before, tracked = [sys.getrefcount(each) for each in watched], len(gc.get_objects())
    door.find(*addresses)
    door.whole(blocks)
    after, tracked_after = [sys.getrefcount(each) for each in watched], len(gc.get_objects())
    said["references"] = [now - then for now, then in zip(after, before, strict=True) if now != then]
    said["tracked"] = tracked_after - tracked
    said["dicts"] = shown == [len(gc.get_referents(each)) for each in kept]


def deep() -> None:
    """A chain of 100,000 lists, and cycles."""
    bottom: list[Any] = []
    chain = bottom
    for _ in range(100_000):
        chain = [chain]
    cycle: list[Any] = []
    cycle.append(cycle)
    address = id(bottom)
    whole = door.whole([door.block(address), door.block(id(cycle))])
    said["deep"] = sorted({holder["class"] for holder in whole["holders"]})
    (path,) = door.find(address)
    said["deep_path"] = path["text"][:40]
    # Taken apart from the top, as CPython would otherwise recurse.
    while chain:
        chain = chain.pop()


class Doomed:
    """Holds arrays that go away between the steps."""

    def __init__(self) -> None:
        self.parts: list[Any] = [bytearray(1000) for _ in range(50)]


NEAR = [bytes(5000) for _ in range(50)]
DOOMED = {number: Doomed() for number in range(50)}


def freed_between() -> None:
    """Between the steps everything that was found dies, and others come to its place."""
    addresses = [id(part) for each in DOOMED.values() for part in each.parts]
    blocks = [door.block(address) for address in addresses]
    survivor = id(DOOMED[0].parts[0])

    def between() -> None:
        for number in range(1, 50):
            del DOOMED[number]
        DOOMED[0].parts[1:] = []
        gc.collect()
        said["others"] = len([[str(number)] for number in range(20_000)])

    found = door.whole(blocks, between)
    held = door.holders(found)
    said["freed"] = [survivor in held, sum(address in held for address in addresses), len(found["loose"])]


def mutating() -> None:
    """Other threads change the heap as fast as they can while looks go on."""
    stop = threading.Event()
    store: dict[int, Any] = {}

    def churn(first: int) -> None:
        number = first
        while not stop.is_set():
            number += 2
            store[number] = [Doomed(), {"a": [number]}]
            store.pop(number - 200, None)

            def generator(number: int = number) -> Any:
                held = [number]
                yield held

            store[-number] = next(generator())
            store.pop(-number + 200, None)
            try:
                raise ValueError(number)
            except ValueError as error:
                store[0] = error

    threads = [threading.Thread(target=churn, args=(first,)) for first in (1, 2)]
    for thread in threads:
        thread.start()
    looks = 0
    deadline = time.monotonic() + float(sys.argv[2])
    # A busy machine takes longer.
    while looks < 3 or time.monotonic() < deadline:
        victims = list(store.values())[:20]
        addresses = [id(victim) for victim in victims]
        blocks = [door.block(address) for address in addresses]
        del victims
        # sleep(0) lets the other threads run between the steps.
        door.whole(blocks, lambda: time.sleep(0.002))
        door.find(id(store))
        looks += 1
    stop.set()
    for thread in threads:
        thread.join()
    said["looks"] = looks > 2


class Ending:
    """Looks while the variables of its function are taken away."""

    def __del__(self) -> None:
        door.find(id(DOOMED))
        said["ending"] = said.get("ending", 0) + 1


def ending() -> None:
    """The frame is being taken apart when the census looks: by return, by an exception, by an end."""

    def returns() -> None:
        before = [1]
        last = Ending()
        after = [2]
        del before, after
        assert last

    def caller() -> int:
        kept = [1]
        returns()
        return len(kept)

    def raises() -> None:
        held = (Ending(), [3])
        raise ValueError(len(held))

    def generates() -> Any:
        held = (Ending(), [4])
        yield len(held)

    for _ in range(50):
        caller()
        with contextlib.suppress(ValueError):
            raises()
        for _ in generates():
            pass
        unfinished = generates()
        next(unfinished)
        del unfinished


def limited() -> None:
    """A look that may not go far says so."""
    (path,) = door.find(id(DOOMED), nodes=2)
    cut = door.whole([door.block(id(DOOMED))], nodes=100)
    late = door.whole([], pause=1)
    said["limited"] = [path, cut["cut"], cut["native_bytes"], cut["garbage"], late["cut"]]
    # What hangs near the program's names is met first, whatever is left out.
    blocks = [door.block(id(each)) for each in NEAR]
    half = door.whole(blocks, nodes=door.whole([])["objects"] // 2)
    said["near"] = [half["cut"], [holder["path"]["text"] for holder in half["holders"] if holder["path"]]]


def forked() -> None:
    """A child can look, too."""
    child = os.fork()
    if child == 0:
        door.whole([door.block(id(DOOMED))])
        os._exit(0 if door.find(id(DOOMED)) else 1)
    said["child"] = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


ctypes.pythonapi.PyGC_Disable()
for check in (hostile, unchanged, deep, freed_between, mutating, ending, limited, forked):
    check()
print(json.dumps(said))
