"""A heap in the midst of everything: looks from many threads and moments. That it ends is the test.

Arguments after the library: seconds, the seed. Prints how many looks there were, or could have been.
"""

from __future__ import annotations

import asyncio
import collections
import contextlib
import ctypes
import gc
import itertools
import json
import random
import sys
import threading
import time
import types
import weakref
from collections.abc import Iterator
from typing import Any

import paths_door as door
import scan_door

LOOKS = collections.Counter[str](failed=0)
KEPT: dict[int, Any] = {}
DEADLINE = time.monotonic() + float(sys.argv[2])
SEED = int(sys.argv[3])
DICE = random.Random(SEED)


def look(where: str) -> None:
    """Now and then, as each takes a while."""
    LOOKS[where] += 1
    dice = DICE.random() if threading.main_thread().is_alive() else 1
    if dice < 0.05:
        LOOKS["failed"] += "version" not in scan_door.found()
        door.find(id(KEPT))
    elif dice < 0.06:
        scan_door.scan()
    elif dice < 0.065:
        some = [door.block(id(one)) for one in list(KEPT.values())[:30]]
        door.whole(some, lambda: time.sleep(0.0005))


class Starting:
    """Looks while it is made, called often enough that CPython takes its short way to `__init__`."""

    def __init__(self, number: int) -> None:
        self.number = [number]
        if number % 5 == 0:
            look("init")


class Ending:
    """Looks while it is taken apart, and what held it with it."""

    def __init__(self) -> None:
        self.me, self.data = self, {1: [2]}

    def __del__(self) -> None:
        look("del")


class Compared:
    """Looks while a set, a dict or a list is worked on."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __hash__(self) -> int:
        look("hash")
        return self.number % 3

    def __eq__(self, other: object) -> bool:
        look("eq")
        return self is other

    def __lt__(self, other: Any) -> bool:
        look("lt")
        return bool(self.number < other.number)


def generating(number: int) -> Iterator[Any]:
    """Waits with values on its stack, some of which only its variables count."""
    held, other = [number], {number: object()}
    try:
        for one in (held, other):
            (held, other, [one], (yield one), held)
        yield from inner(held, other)
    finally:
        look("finally")


def inner(*arguments: Any, **named: Any) -> Iterator[Any]:
    """As above, a level deeper."""
    with contextlib.suppress(GeneratorExit):
        for number, one in enumerate(arguments):
            yield [number, one, named]
    look("inner")


async def awaiting(number: int) -> Any:
    """A coroutine with a loop over an asynchronous generator."""
    found = []
    async for one in producing(number):
        found.append([one, await asyncio.sleep(0, [number])])
        if number % 3 == 0:
            look("await")
    return found


async def producing(number: int) -> Any:
    """Is closed early by some."""
    for place in range(3):
        data = {place: [number]}
        yield data
        await asyncio.sleep(0)


def failing(number: int) -> BaseException:
    """Keeps frames whose functions have ended."""
    try:
        deeper = [number, Ending()]
        raise ValueError(deeper)
    except ValueError as error:
        try:
            raise KeyError(number) from error
        except KeyError as second:
            return second


def half_made(number: int) -> None:
    """Tuples and lists with empty places, instances without `__init__`, cells without a value."""
    new_list = ctypes.pythonapi.PyList_New
    new_list.argtypes, new_list.restype = (ctypes.c_ssize_t,), ctypes.py_object
    KEPT[-number] = [new_list(number % 9), Starting.__new__(Starting), types.CellType(), tuple.__new__(tuple)]
    _ = tuple(Compared(one) for one in range(number % 30) if look("tuple") is None)
    KEPT[-number][0].clear()


def typed(number: int) -> None:
    """Types that come and go, with instances that outlive their attributes."""
    base = type(f"Base{number % 5}", (), {"kept": [number], "__slots__": ("first",) if number % 2 else ()})
    kind = type("Kind", (base,), {"method": lambda self: self})
    one: Any = kind()
    for name in "abcdefgh"[: number % 8]:
        setattr(one, name, [name])
    if number % 3 == 0:
        one.__dict__["more"] = number
    if number % 4 == 0:
        one.__class__ = type("Other", (base,), {})
    KEPT[number] = [one, weakref.ref(one), one.method if number % 4 else None]
    listed: Any = type("Listed", (list,), {})([number])
    listed.attribute = {}
    KEPT[number].append(listed)


def framed(number: int) -> None:
    """Frame objects: kept, cleared, with locals that were overwritten through them."""
    kept = [number]
    frame = sys._getframe()
    if sys.version_info >= (3, 13):
        frame.f_locals["kept"] = (number,)
        frame.f_locals["beside"] = {}
    look("frame")
    error = failing(number)
    if number % 2:
        KEPT[number] = [error, frame, kept]
    elif error.__traceback__:
        error.__traceback__.tb_frame.clear()


def sized(number: int) -> None:
    """Containers that are worked on while somebody looks."""
    keys = [Compared(one) for one in range(8)]
    some, table = set(keys), dict.fromkeys(keys, number)
    some.discard(keys[0])
    del table[keys[1]]
    keys.sort()
    KEPT[number] = [some, table, collections.deque(keys, maxlen=5), collections.OrderedDict(table)]


def churn(seed: int) -> None:
    """Everything in turn, without an order."""
    rng = random.Random(seed)
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    generators: list[Any] = []
    for number in itertools.count(seed * 10**7):
        if time.monotonic() > DEADLINE:
            break
        rng.choice((half_made, typed, framed, sized))(number)
        generators.append(generating(number))
        for _ in range(rng.randrange(5)):
            next(generators[-1], None)
        if len(generators) > 20:
            generators.pop(rng.randrange(20)).close()
            del generators[0]
        if number % 4 == 0:
            tasks = [loop.create_task(awaiting(number + one)) for one in range(3)]
            if number % 8 == 0:
                tasks[0].cancel()
            loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        KEPT[number % 100] = [Starting(one) for one in range(rng.randrange(20))]
        with contextlib.suppress(KeyError, RuntimeError):
            while len(KEPT) > 400:
                KEPT.pop(next(iter(KEPT)))
    loop.close()


def main() -> None:
    """Four threads that churn, short ones that come and go, and looks of every kind."""
    gc.callbacks.append(lambda phase, info: look("collector"))
    gc.set_threshold(200, 5, 5)
    sys.setswitchinterval(1e-5)
    scan_door.forget()
    threads = [threading.Thread(target=churn, args=(SEED * 10 + number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    while time.monotonic() < DEADLINE:
        short = threading.Thread(target=failing, args=(0,))
        short.start()
        look("main")
        if LOOKS["main"] % 50 == 0:
            (gc.freeze, gc.unfreeze, gc.collect)[LOOKS["main"] // 50 % 3]()
        short.join()
    for thread in threads:
        thread.join()
    gc.callbacks.clear()
    KEPT.clear()
    gc.collect()
    print(json.dumps(dict(LOOKS)))


main()
