"""Where Python code can be when it is walked: each function calls `check()` where its name says."""

from __future__ import annotations

import asyncio
import functools
import gc
import sys
import threading
from types import FrameType

from frame_check import COMPLETE, FREE, HELD, ROOM, c_check, check, fail, native_side, python_side, room


class Thing:
    """Methods of all kinds."""

    def method(self) -> None:
        check()

    @classmethod
    def of_class(cls) -> None:
        check()

    @staticmethod
    def of_nothing() -> None:
        check()

    @property
    def value(self) -> int:
        check()
        return 1

    def __init__(self) -> None:
        check()

    def __call__(self) -> None:
        check()

    def __lt__(self, other: object) -> bool:
        check()
        return False

    def __enter__(self) -> None:
        check()

    def __exit__(self, *unused: object) -> None:
        check()


def methods() -> None:
    for _ in range(100):  # often enough to be specialised
        thing = Thing()
    thing.method(), Thing.of_class(), thing.of_nothing(), thing.value, thing()
    sorted([thing, Thing()])
    with thing:
        check()


def generators() -> None:
    def numbers(depth: int):
        check()
        yield depth
        if depth:
            yield from numbers(depth - 1)
        check()

    for _ in range(20):
        for _ in numbers(3):
            check()
    list(numbers(2))
    generator = (check() for _ in range(3))
    next(generator)
    list(generator)
    closing = closed()
    next(closing)
    closing.close()
    thrown = closed()
    next(thrown)
    try:
        thrown.throw(ValueError)
    except ValueError:
        check()


def delegations() -> None:
    """What ends the outermost generator goes to the innermost without running those between."""

    def middle():
        yield from closed()

    def outer():
        yield from middle()

    class Awaited:
        def __await__(self):
            return closed()

    async def coroutine() -> None:
        await Awaited()

    async def outermost() -> None:
        await coroutine()

    for make in (closed, middle, outer, outermost):
        ends = [lambda it: it.close(), lambda it: it.throw(ValueError), lambda it: it.throw(StopIteration(1))]
        for end in ends:
            generator = make()
            generator.send(None)
            try:
                end(generator)
            except (ValueError, RuntimeError, StopIteration):
                check()


def closed():
    try:
        yield 1
    finally:
        check()


def coroutines() -> None:
    async def inner() -> None:
        check()
        await asyncio.sleep(0)
        check()

    async def numbers():
        for number in range(3):
            check()
            yield number

    async def outer() -> None:
        await asyncio.gather(inner(), inner())
        async for _ in numbers():
            check()
        [check() async for _ in numbers()]
        asyncio.get_running_loop().call_soon(check)
        await asyncio.sleep(0)

    asyncio.run(outer())


def comprehensions() -> None:
    [check() for _ in range(2)]
    {check() for _ in range(2)}
    {number: check() for number in range(2)}
    [[check() for _ in range(2)] for _ in range(2)]


def class_bodies() -> None:
    class Body:
        check()

        class Inner:
            check()

    class Meta(type):
        def __new__(cls, *arguments):
            check()
            return super().__new__(cls, *arguments)

    class Made(metaclass=Meta):
        check()


def c_boundaries() -> None:
    list(map(lambda _: check(), range(2)))
    sorted([2, 1], key=lambda _: check() or 0)
    list(filter(lambda _: check(), range(2)))
    functools.reduce(lambda *_: check(), range(3))
    functools.partial(check)()
    functools.lru_cache(maxsize=None)(lambda: check())()
    c_check()
    list(map(lambda _: c_check(), range(2)))
    max([1, 2], key=lambda _: sorted([1], key=lambda _: c_check() or 0)[0])


def decorators() -> None:
    def twice(function):
        @functools.wraps(function)
        def call(*arguments, **named):
            check()
            return function(*arguments, **named)

        return call

    @twice
    @twice
    def decorated(*arguments, **named):
        check()

    decorated(1, 2, key=3)
    decorated(*[1, 2], **{"key": 3})


def compiled() -> None:
    exec("check()\n\n\ndef inner():\n    check()\n\n\ninner()", {"check": check})
    eval("[check(), (lambda: check())()]", {"check": check})
    exec(compile("check()", "<module>", "exec"), {"check": check})
    exec(compile("\n" * 70000 + "check()", "far.py", "exec"), {"check": check})
    exec(compile("x = 1\n" * 3000 + "check()\n" + "x = 1\n" * 30, "long.py", "exec"), {"check": check})
    jumps = "x = (\n" + "\n" * 300 + "check(),\n1)\nx = [check(),\n" + "\n" * 200 + "check()\n, check()]\n"
    exec(compile(jumps, "jumps.py", "exec"), {"check": check})


def names() -> None:
    sources = {
        "ascii.py": "plain",
        "caf\xe9.py": "caf\xe9",
        "файл.py": "функция",
        "\U0001f40d.py": "\U00020000",
        "lone\udc80.py": "f",
    }
    for file, function in sources.items():
        exec(compile(f"def {function}():\n    check()\n{function}()", file, "exec"), {"check": check})


def lines() -> None:
    (
        check(),
        [
            check(),
            (lambda: check(), (lambda: check())())[1],
        ],
        functools.partial(
            check,
        )(),
    )
    a, b = lambda: check(), lambda: (check(), check()); a(), b()  # fmt: skip  # noqa: E702
    if check() is None and (check()
                            or True) and check() is None:  # fmt: skip
        check()
    f"{check()} {check()}"
    assert (
        check()
        is None
    )  # fmt: skip
    try:
        check()
        raise ValueError
    except ValueError:
        check()
    finally:
        check()
    while True:
        check()
        break
    for _ in (
        check(),
        1,
    ):
        check()


def closures() -> None:
    cell = 1

    def inner(default=None):
        def deepest():
            check()
            return cell, default

        deepest()

    inner()


def depth(left: int) -> None:
    if left:
        depth(left - 1)
    else:
        check()


def deep() -> None:
    sys.setrecursionlimit(20000)
    depth(5000)


def deep_in_c() -> None:
    def down(left: int) -> None:
        if left:
            list(map(down, [left - 1]))
        else:
            check()

    down(150)


def threads() -> None:
    failed: list[BaseException] = []

    def body() -> None:
        try:
            for _ in range(20):
                check()
                c_check()
                generators_once()
        except BaseException as error:
            failed.append(error)

    def generators_once() -> None:
        list(check() for _ in range(2))

    crowd = [threading.Thread(target=body) for _ in range(4)]
    for thread in crowd:
        thread.start()
    for thread in crowd:
        thread.join()
    if failed:
        fail(f"{failed}")


def foreign_threads() -> None:
    """A thread that C made has Python frames only while it is in Python."""
    for _ in range(3):
        if FREE.probe_on_new_thread(c_check) != 0:
            fail("frames before or after, or a walk that was not complete")


def finalisers() -> None:
    class Dying:
        def __del__(self) -> None:
            check()

    def local() -> None:
        keep = Dying()  # dies when the frame's variables are released
        del keep
        other = Dying()  # noqa: F841

    def gone():
        keep = Dying()  # noqa: F841
        yield 1

    local()
    list(map(lambda _: local(), range(2)))
    generator = gone()
    next(generator)
    del generator
    first, second = Dying(), Dying()
    first.other, second.other = second, first
    del first, second
    gc.collect()


def collector() -> None:
    """The collector runs Python in whatever frame it finds, also while that frame is not complete."""

    def seen(phase: str, info: dict) -> None:
        if phase == "start":
            natively()

    def natively() -> None:
        """Only what Python shows must be among what is seen: a frame that is not complete is not shown."""
        buffer = room()
        result, expected = HELD.probe_walk(buffer, ROOM), python_side(sys._getframe())
        found = [frame[:3] for frame in native_side(buffer, result % COMPLETE)]
        if result < COMPLETE or any(frame[:3] not in found for frame in expected):
            fail(f"{found} lacks some of {expected}")

    def numbers(cell):
        def inner():
            return cell

        yield inner

    gc.callbacks.append(seen)
    old = gc.get_threshold()
    gc.set_threshold(1, 1, 1)
    try:
        for number in range(200):
            list(numbers(number))
            [object() for _ in range(3)]
    finally:
        gc.set_threshold(*old)
        gc.callbacks.remove(seen)


def traced() -> None:
    inside = False

    def trace(frame: FrameType, event: str, argument: object):
        nonlocal inside
        if not inside:
            inside = True
            check()
            inside = False
        return trace

    def body() -> None:
        number = 1
        for _ in range(2):
            number += 1
        list(str(number) for _ in range(2))

    old = sys.gettrace()
    sys.settrace(trace)
    try:
        body()
        check()
    finally:
        sys.settrace(old)
    sys.setprofile(lambda *_: None)
    try:
        body()
        check()
    finally:
        sys.setprofile(None)


ALL = (
    methods,
    generators,
    delegations,
    coroutines,
    comprehensions,
    class_bodies,
    c_boundaries,
    decorators,
    compiled,
    names,
    lines,
    closures,
    deep,
    deep_in_c,
    threads,
    foreign_threads,
    finalisers,
    collector,
    traced,
)
