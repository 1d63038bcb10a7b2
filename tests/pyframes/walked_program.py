"""Runs in the interpreter under test: walks its own frames natively in many situations and compares with Python's.

Usage: walked_program.py PROBE; prints one line per situation and exits 1 if any differs. Standard library only.
"""

from __future__ import annotations

import asyncio
import ctypes
import functools
import gc
import sys
import threading
from types import FrameType

NOT_STARTED = 2**32 - 1
COMPLETE = 2**30
ROOM = 12000


class Seen(ctypes.Structure):
    """One frame of the native walk."""

    _fields_ = (
        ("code", ctypes.c_uint64),
        ("instruction", ctypes.c_uint32),
        ("line", ctypes.c_uint32),
        ("entry", ctypes.c_uint32),
    )


FREE = ctypes.CDLL(sys.argv[1])  # calls release the GIL
HELD = ctypes.PyDLL(sys.argv[1])  # calls keep it
for library in (FREE, HELD):
    library.probe_walk.argtypes = (ctypes.c_void_p, ctypes.c_size_t)
    library.probe_names.argtypes = (ctypes.c_uint64, ctypes.c_char_p)
    library.probe_identity.argtypes = (ctypes.c_uint64,)
    library.probe_identity.restype = ctypes.c_uint64

CALLBACK = ctypes.CFUNCTYPE(None)
checks = 0
failures: list[str] = []
situation = ""


def room() -> ctypes.Array[Seen]:
    """A buffer of its own for each walk: a trace function walks in the middle of another walk's comparison."""
    return (Seen * ROOM)()


def python_side(frame: FrameType | None) -> list[tuple[str, str, int, int]]:
    """File, function, line and instruction of the frames that Python shows, innermost first."""
    frames = []
    while frame is not None:
        code = frame.f_code
        name = code.co_qualname if sys.version_info >= (3, 11) else code.co_name
        file = "".join("\ufffd" if "\ud800" <= letter <= "\udfff" else letter for letter in code.co_filename)
        frames.append((file, name, frame.f_lineno or code.co_firstlineno, frame.f_lasti))
        frame = frame.f_back
    return frames


def native_side(seen: ctypes.Array[Seen], count: int) -> list[tuple[str, str, int, int]]:
    """The same from the native walk."""
    names = ctypes.create_string_buffer(2048)
    frames = []
    for frame in seen[:count]:
        if frame.code == 0:
            continue
        if HELD.probe_names(frame.code, names) < 0:
            failures.append(f"{situation}: a code object without names")
        file, function = names.raw.split(b"\0")[:2]
        instruction = -1 if frame.instruction == NOT_STARTED else frame.instruction
        frames.append((file.decode(), function.decode(), frame.line, instruction))
    return frames


def check() -> None:
    """Compares both sides, called in the situation under test."""
    global checks
    seen = room()
    for library in (HELD, FREE):
        result, expected, runs = library.probe_walk(seen, ROOM), python_side(sys._getframe()), library.probe_runs()
        count = result % COMPLETE
        if result < COMPLETE:
            failures.append(f"{situation}: not complete")
        found = native_side(seen, count)
        # The innermost frame has gone on to other instructions of the same line.
        if [frame[:3] for frame in found[:1]] + found[1:] != [frame[:3] for frame in expected[:1]] + expected[1:]:
            failures.append(f"{situation}: {found[:12]} is not {expected[:12]}")
        entries = sum(frame.entry for frame in seen[:count])
        if entries != runs and runs >= 0:
            failures.append(f"{situation}: {entries} entries, {runs} runs of the evaluator")
        checks += 1


c_check = CALLBACK(check)


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
    for number in (
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
        failures.append(f"{situation}: {failed}")


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
            failures.append(f"{situation}: {found} lacks some of {expected}")

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


def identities() -> None:
    """The address of a code object that died is soon another's; the identity must not be."""

    def made(number: int):
        source = "\n" * (number % 3) + f"def f{number % 5}(): pass"
        scope: dict = {}
        exec(compile(source, f"file{number % 7}.py", "exec"), scope)
        return scope[f"f{number % 5}"].__code__

    reused, facts = 0, {}
    for number in range(500):
        code = made(number)
        own = (code.co_firstlineno, code.co_name, code.co_filename)
        identity = HELD.probe_identity(id(code))
        reused += any(key[0] == id(code) for key in facts)
        if facts.setdefault((id(code), identity), own) != own:
            failures.append(f"{situation}: one identity for {own} and {facts[id(code), identity]}")
    if not reused:
        failures.append(f"{situation}: no address was used again, so nothing was tested")


def short_of_room() -> None:
    """With less room than frames, the innermost ones are seen and the walk is not complete."""
    whole, part = (Seen * 64)(), (Seen * 64)()
    full, cut = HELD.probe_walk(whole, 64), HELD.probe_walk(part, 2)
    none = HELD.probe_walk(part, 0) if cut else -1
    if full < COMPLETE or cut != 2 or none != 0:
        failures.append(f"{situation}: {full} {cut} {none}")
    if [(frame.code, frame.entry) for frame in whole[1:2]] != [(frame.code, frame.entry) for frame in part[1:2]]:
        failures.append(f"{situation}: other frames")


def not_python() -> None:
    """A pointer that is no code object's has no names, and nothing is read through it."""
    names = ctypes.create_string_buffer(2048)
    for thing in (None, "text", b"bytes", 1.5, object()):
        if HELD.probe_names(id(thing), names) != -1 or names.raw[:4] != b"?\0?\0" or HELD.probe_line(id(thing), 0):
            failures.append(f"{situation}: names of {thing!r}")
    for address in (0, 1, 8, 4097, 2**63, 2**64 - 8):
        if HELD.probe_names(address, names) != -1:
            failures.append(f"{situation}: names at {address}")


SITUATIONS = (
    methods, generators, coroutines, comprehensions, class_bodies, c_boundaries, decorators, compiled, names, lines,
    closures, deep, deep_in_c, threads, finalisers, collector, traced, identities, short_of_room, not_python,
)  # fmt: skip


def main() -> int:
    """Runs all situations."""
    global situation
    HELD.probe_line.argtypes = (ctypes.c_uint64, ctypes.c_uint32)
    why = ctypes.create_string_buffer(256)
    if HELD.probe_support(why) != 1:
        print(f"not supported: {why.value.decode()}")
        return 2
    for run in SITUATIONS:
        situation, before, failed = run.__name__, checks, len(failures)
        run()
        print(f"{situation}: {checks - before} walks, {len(failures) - failed} failures")
    for failure in failures[:20]:
        print(failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
