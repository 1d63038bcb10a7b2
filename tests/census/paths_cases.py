"""One container per way of holding it; prints what was found and what should have been."""

from __future__ import annotations

import array
import asyncio
import collections
import contextlib
import contextvars
import ctypes
import functools
import gc
import json
import queue
import sys
import threading
import types
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import paths_door as door

expected: list[tuple[int, str, str, int | None]] = []


def expect(container: object, text: str, owner: str = "", bound: int | None = None) -> None:
    """Remembers an address, not the object."""
    expected.append((id(container), text, owner, bound))


class Logger:
    """Attributes that CPython keeps without a dict, and one of the class."""

    history: ClassVar[list[int]] = []

    def __init__(self) -> None:
        self.saved: list[int] = []
        self.by_epoch: dict[int, int] = {}
        self.recent: collections.deque[int] = collections.deque(maxlen=7)
        self.seen: set[int] = set()

    def method(self) -> None:
        """To be bound."""


class Shown(Logger):
    """Its instances have a dict, as somebody asked for it."""


class Slotted:
    """No dict at all."""

    __slots__ = ("first", "second")

    def __init__(self) -> None:
        self.first = 1
        self.second: list[int] = []


class Own(list):  # type: ignore[type-arg]
    """A list of the script's, with an attribute."""


class CallbackList:
    """Keras' own, as far as names go."""

    def __init__(self, callbacks: list[object]) -> None:
        self.callbacks = callbacks


def framework(module: str, name: str) -> type:
    """A class as that framework has it, as far as names go."""
    return type(name, (), {"__module__": module})


STATE = framework("starlette.datastructures", "State")()
STATE._state = {"paths": [], "not a name": []}
APPLICATION = type("Mine", (framework("aiohttp.web_app", "Application"),), {})()
APPLICATION._state = {"seen": []}
REQUESTS = framework("prometheus_client.metrics", "MetricWrapperBase")()
REQUESTS._metrics = {("GET", "/"): []}
HEADS = type("Heads", (framework("torch.nn.modules.module", "Module"),), {})()
HEADS._modules = {"0": [], "1": []}
NET = type("Net", (framework("torch.nn.modules.module", "Module"),), {})()
NET._modules, NET._buffers = {"heads": HEADS}, {"seen": []}
MINE = framework("__main__", "State")()
MINE._state = {"paths": []}
SAVED: list[int] = []
NESTED: dict[Any, Any] = {"a": [1, {"b": []}], 3: [], (1, "x"): [], True: [], "no name": []}
logger, shown, slotted, own = Logger(), Shown(), Slotted(), Own()
shown.__dict__  # noqa: B018
own.kept = {}  # type: ignore[attr-defined]
expect(SAVED, "__main__.SAVED[*]")
expect(STATE._state, "__main__.STATE[*]")
expect(STATE._state["paths"], "__main__.STATE.paths[*]")
expect(STATE._state["not a name"], "__main__.STATE['not a name'][*]")
expect(APPLICATION._state["seen"], "__main__.APPLICATION['seen'][*]", "Mine")
expect(REQUESTS._metrics, "__main__.REQUESTS.<children per label>[*]")
expect(HEADS._modules, "__main__.HEADS[*]", "Heads")
expect(HEADS._modules["1"], "__main__.HEADS['1'][*]", "Heads")
expect(NET._buffers["seen"], "__main__.NET.seen[*]", "Net")
expect(MINE._state["paths"], "__main__.MINE._state['paths'][*]", "State")
expect(logger.saved, "__main__.logger.saved[*]", "Logger")
expect(logger.by_epoch, "__main__.logger.by_epoch[*]", "Logger")
expect(logger.recent, "__main__.logger.recent[*]", "Logger", 7)
expect(logger.seen, "__main__.logger.seen[*]", "Logger")
expect(Logger.history, "Logger.history[*]", "Logger")
expect(shown.saved, "__main__.shown.saved[*]", "Shown")
expect(shown.__dict__, "__main__.shown.__dict__[*]", "Shown")
expect(slotted.second, "__main__.slotted.second[*]", "Slotted")
expect(own, "__main__.own[*]", "Own")
expect(own.kept, "__main__.own.kept[*]", "Own")  # type: ignore[attr-defined]
expect(NESTED["a"], "__main__.NESTED['a'][*]")
expect(NESTED["a"][1]["b"], "__main__.NESTED['a'][1]['b'][*]")
expect(NESTED[3], "__main__.NESTED[3][*]")
expect(NESTED[(1, "x")], "__main__.NESTED[(1, 'x')][*]")
expect(NESTED[True], "__main__.NESTED[True][*]")
expect(NESTED["no name"], "__main__.NESTED['no name'][*]")


def closing() -> Callable[[], None]:
    """Gives a function that closes over a list."""
    hist: list[int] = []
    expect(hist, "cb_closure(): hist[*]", "cb_closure")

    def cb_closure() -> None:
        hist.append(1)

    return cb_closure


def defaults(first: int, second: list[int] = [], *, third: dict[str, int] = {}) -> None:  # noqa: B006
    """Keeps what it is given in its defaults."""


@functools.lru_cache(maxsize=5)
def remembered(number: int) -> list[int]:
    """Results stay in the cache."""
    return [number]


@functools.cache
def always(number: int) -> list[int]:
    """As above, without a bound."""
    return [number]


def joining(end: Callable[[], object]) -> None:
    """Joins a plain value with what a call gives, so that it is on the stack as well while the call runs."""
    values = array.array("d", range(5))
    expect(values, "joining(): values", "joining")
    _ = [values, end()]


def generating() -> Iterator[int]:
    """Keeps a list while it waits."""
    batches: list[int] = []
    expect(batches, "generating(): batches[*]", "generating")
    yield 1


async def awaiting() -> None:
    """As above."""
    waiting_list: list[int] = []
    expect(waiting_list, "awaiting(): waiting_list[*]", "awaiting")
    await asyncio.sleep(0)


def failing() -> None:
    """Leaves a list in the traceback."""
    payload: list[int] = []
    expect(payload, "__main__.failures[0].__traceback__ frame local payload[*]", "failing")
    raise ValueError


closure, generator, coroutine = closing(), generating(), awaiting()
next(generator)
coroutine.send(None)
failures: list[BaseException] = []
try:
    failing()
except ValueError as error:
    failures.append(error)
expect(defaults.__defaults__[0], "defaults.<default second>[*]", "defaults")  # type: ignore[index]
expect(defaults.__kwdefaults__["third"], "defaults.<default third>[*]", "defaults")
expect(remembered(1), "remembered.<lru cache>[*][*]", "remembered")
expect(always(1), "always.<lru cache>[*]['?'][*]", "always")
defaults.marks = []  # type: ignore[attr-defined]
expect(defaults.marks, "__main__.defaults.marks[*]")  # type: ignore[attr-defined]
part = functools.partial(print, [], end={})
expect(part.args[0], "__main__.part.args[0][*]")
expect(part.keywords["end"], "__main__.part.keywords['end'][*]")
bound = Logger().method
expect(bound.__self__.saved, "__main__.bound.__self__.saved[*]", "Logger")  # type: ignore[attr-defined]
local = threading.local()
local.store = []
expect(local.store, "__main__.local.store[*]")
tasks: queue.Queue[int] = queue.Queue(maxsize=9)
expect(tasks.queue, "__main__.tasks.queue[*]", "", 9)
endless: queue.Queue[int] = queue.Queue()
expect(endless.queue, "__main__.endless.queue[*]")
grouped = collections.defaultdict(list, {"a": [1]})
expect(grouped["a"], "__main__.grouped['a'][*]")
ordered = collections.OrderedDict(first=[1])
expect(ordered["first"], "__main__.ordered['first'][*]")
proxy = types.MappingProxyType({"a": []})
space = types.SimpleNamespace(items=[])
expect(space.items, "__main__.space.items[*]")
iterating = iter([[1, 2]])
view = memoryview(array.array("b", b"abc"))

# What only the context of a thread leads to; two as Flask has them, as far as names go.
SEEN: contextvars.ContextVar[Any] = contextvars.ContextVar("seen")
OF_THREAD: contextvars.ContextVar[Any] = contextvars.ContextVar("of_thread")
APP_CONTEXT: contextvars.ContextVar[Any] = contextvars.ContextVar("flask.app_ctx")
OTHERS = [contextvars.ContextVar(f"other {number}") for number in range(100)]
in_context: list[tuple[int, str]] = []


def enter_contexts() -> None:
    """Sets variables of this thread's context, among many others."""
    for number, other in enumerate(OTHERS):
        other.set(number)
    SEEN.set([])
    entered = framework("flask.ctx", "AppContext")()
    entered.g, entered.marks = framework("flask.ctx", "_AppCtxGlobals")(), []
    entered.app = type("App", (framework("flask.app", "Flask"),), {})()
    entered.g.seen, entered.app.extensions, entered.app.name = [], {"tiles": []}, {}
    APP_CONTEXT.set(entered)
    in_context.extend(
        [
            (id(SEEN.get()), "<context variable seen>[*]"),
            (id(entered.g.seen), "flask.g.seen[*]"),
            (id(entered.app.extensions["tiles"]), "flask.current_app.extensions['tiles'][*]"),
            (id(entered.app.name), "flask.current_app.name[*]"),
            (id(entered.marks), "<context variable flask.app_ctx>.marks[*]"),
        ]
    )


def of_contexts() -> dict[str, object]:
    """Found by a search from the roots, and as holders of a sample; also inside of a copy of the context."""
    addresses = [address for address, _ in in_context]
    told = {text: [] for _, text in in_context}

    def look() -> None:
        known = door.holders(door.whole([door.block(address) for address in addresses]))
        for (address, text), path in zip(in_context, door.find(*addresses), strict=True):
            told[text] += [path and path["text"], known[address]["path"]["text"]]

    look()
    contextvars.copy_context().run(look)
    return {
        "minor": sys.version_info.minor,
        "contexts": [text for text, found in told.items() if found != [text] * 4] or len(told),
        "told": told,
    }


started, finish = threading.Event(), threading.Event()


def worker() -> None:
    """Holds a list in a variable of another thread."""
    backlog: list[int] = []
    inner: list[int] = []
    expect(backlog, "worker(): backlog[*]", "worker")
    expect(inner, "worker(): inner[*]", "worker")
    OF_THREAD.set([])
    in_context.append((id(OF_THREAD.get()), "<context variable of_thread>[*]"))

    def reach() -> list[int]:
        return inner

    started.set()
    finish.wait()


def fit(callbacks: Any) -> None:
    """As Keras does it: the list in an object of its own, under the same name."""
    callbacks = CallbackList(callbacks)
    expect(callbacks.callbacks[0].saved, "fit(): callbacks[0].saved[*]", "Logger")
    nested: list[int] = []
    expect(nested, "fit(): nested[*]", "fit")
    ask()


def ask() -> None:
    """Looks for all of them at once and one by one."""
    together = door.find(*(address for address, *_ in expected))
    failed = []
    for (address, text, owner, limit), at_once in zip(expected, together, strict=True):
        (alone,) = door.find(address)
        if alone is None or at_once is None:
            failed.append(f"{text}: not found")
            continue
        wanted = text.replace("['?']", "")
        shown_text = alone["text"]
        if "['?']" in text:
            shown_text = shown_text[: len("always.<lru cache>")] + shown_text[-len("[*]") :]
            wanted = "always.<lru cache>[*]"
        if shown_text != wanted or alone["owner"] != owner or alone["bound"] != limit:
            failed.append(f"{text}, {owner}, {limit}: {alone}")
        if not alone["file"].endswith(".py"):
            failed.append(f"{text}: file {alone['file']!r}")
    held = {**native(), **plain()}
    print(json.dumps({"failed": failed, "cases": len(expected), **held, **many(), **of_contexts()}))


def many() -> dict[str, object]:
    """What each of many functions, classes and generators keeps is kept by the list of them."""

    def made(number: int) -> list[Any]:
        table: list[int] = [number]

        class Layer:
            """Refers to a table of its own."""

            def call(self) -> list[int]:
                return table

        def step(rows: list[int] = []) -> int:  # noqa: B006
            return len(rows)

        def hook() -> list[int]:
            return table

        return [hook, step, Layer]

    alike: dict[str, list[Any]] = {"hooks": [], "steps": [], "layers": []}
    for number in range(5):
        for kept, one in zip(alike.values(), made(number), strict=True):
            kept.append(one)
    hooks, steps, layers = alike.values()
    del kept, one
    found = {
        "hooks": held_by([door.block(id(hook.__closure__[0].cell_contents)) for hook in hooks]),
        "steps": held_by([door.block(id(step.__defaults__[0])) for step in steps]),
    }
    hooks.clear()
    layer_blocks = [door.block(id(layer.call.__closure__[0].cell_contents)) for layer in layers]
    return {**found, "layers": held_by(layer_blocks)}


class Word(str):
    """Text that leads on."""


TEXTS = ["x" * 1000 + str(number) for number in range(20)]
# Keys of text in a table of text alone, in one with other keys as well, and in small dicts of a list.
SPELLED = {f"word {number}": number for number in range(20)}
MIXED = {number if number % 2 else f"odd {number}": number for number in range(20)}
ROWS = [{f"column {number}": number} for number in range(20)]
NUMBERS = {number: 10**40 + number for number in range(20)}
SPOKEN = ["ä" * 200 + str(number) for number in range(3)]
# Pages that two lists have: only what has both lists keeps them.
BOOK = [[bytes(60_000) for _ in range(10)]]
BOOK.append(list(BOOK[0]))
WORDS = [Word("w")]
WORDS[0].kept = [[]]  # type: ignore[attr-defined]


def keys_of_text() -> list[str]:
    """Keys that the traversal of their dict does not show."""
    of_rows = [key for row in ROWS for key in row]
    return [*SPELLED, *(key for key in MIXED if isinstance(key, str)), *of_rows]


def plain() -> dict[str, object]:
    """Text and numbers are held like all else, where somebody asks; where nobody does, they weigh."""
    blocks = [door.block(id(one)) for one in (*TEXTS, *NUMBERS.values(), WORDS[0].kept[0], *keys_of_text())]  # type: ignore[attr-defined]
    found = {holder["path"]["text"]: len(holder["ids"]) for holder in door.whole(blocks)["holders"]}
    as_utf8 = ctypes.pythonapi.PyUnicode_AsUTF8
    as_utf8.restype, as_utf8.argtypes = ctypes.c_void_p, (ctypes.py_object,)
    beside = [(number, as_utf8(one), len(one.encode()) + 1) for number, one in enumerate(SPOKEN)]
    (table,) = door.whole([door.block(id(TEXTS))])["holders"]
    (book,) = door.whole([door.block(id(BOOK))])["holders"]
    whole = door.whole(beside)
    return {
        "plain": found,
        "pages": 10 * 60_000 < book["retained"] < 10 * 61_000,
        "spoken": {holder["path"]["text"]: sorted(holder["ids"]) for holder in whole["holders"]},
        "weighed": [table["path"]["text"], 20 * 1000 < table["retained"] < 20 * 1200, table["ids"] != []],
    }


def held_by(blocks: list[tuple[int, int, int]]) -> str:
    """Who holds the first of these when all are looked for."""
    text: str = door.holders(door.whole(blocks))[blocks[0][0]]["path"]["text"]
    return text


def native() -> dict[str, object]:
    """What only C holds, and what nobody holds."""
    gc.disable()
    only_c: list[object] = [[]]
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(only_c))
    cycle: list[object] = []
    cycle.append(cycle)
    address, lost = id(only_c), id(cycle)
    del only_c, cycle
    blocks = [door.block(address), door.block(lost), door.block(id(SAVED))]
    known = door.holders(door.whole(blocks))
    only_c_path = door.find(address)
    ctypes.pythonapi.Py_DecRef(ctypes.cast(address, ctypes.py_object))
    return {
        "only_c": [known[address]["class"], known[address]["path"]["text"], only_c_path],
        "cycle": [known[lost]["class"], known[lost]["path"]["text"]],
        "saved": [known[id(SAVED)]["class"], known[id(SAVED)]["path"]["text"]],
    }


with contextlib.ExitStack() as stack:
    thread = threading.Thread(target=worker)
    thread.start()
    stack.callback(finish.set)
    started.wait()
    enter_contexts()
    joining(lambda: fit([Logger()]))
    coroutine.close()
