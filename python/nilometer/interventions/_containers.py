"""The containers that belong to the program's own code, by names a person knows: `Keeps.saved`,
`__main__.LOSSES`.

In: the modules, instances, frames and functions of the program's own files. Out: their lists,
dictionaries, sets and caches with their names; and, as facts, those that grow with nearly every look.
Never: a container of a library, a property or any other code of the program run, or a reference that
stays.
"""

from __future__ import annotations

import contextlib
import sys
import weakref
from collections import deque
from time import monotonic

from nilometer import _native
from nilometer.frameworks import trials
from nilometer.hooks.origin import is_users

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType
    from typing import Any

_KINDS = (list, dict, set, deque)
# Of these methods nobody else's code is run: subclasses that have their own are left alone.
_LENGTHS = frozenset(kind.__len__ for kind in _KINDS)
# A look takes a few milliseconds: none for so many times as long.
_MIN_TIME_PER_COST = 4.0
_LOOKS = 4
_INNER = 1000
# So many steps from a name, and of a container the last things in it.
_DEPTH = 4
_ITEMS = 50


class _Method:
    def method(self) -> None:
        """Only there for its type."""


_generator = type(_ for _ in ())
_function = type(lambda: None)
_method = type(_Method().method)


def walk() -> Iterator[tuple[str, Any]]:
    """All of them that can be named now; one may come by several names."""
    own = _own_modules()
    seen: set[int] = set()
    waiting: list[tuple[str, dict[str, Any]]] = [(f"{name}.", vars(sys.modules[name])) for name in own]
    frame: FrameType | None
    for frame in list(sys._current_frames().values()):
        waiting.extend(_frames(frame, own))
    # It may be our own: then it and all that is found here would wait for the collector.
    frame = None
    waiting.extend(("", {"": root}) for root in map(_call, list(_roots.values())) if root is not None)
    # Breadth first, and no further than this: what is deeper has a holder that is nearer.
    for _ in range(_DEPTH):
        found = [
            (prefix + name, value)
            for prefix, names in waiting
            for name, value in list(names.items())
            if not name.startswith("__") and name != "_"
        ]
        waiting = []
        for path, value in found:
            if is_container(value):
                if path:
                    yield path, value
                if id(value) not in seen:
                    seen.add(id(value))
                    things = list(value.values() if isinstance(value, dict) else value)[-_ITEMS:]
                    waiting.extend(inside for thing in things for inside in _inside(thing, own, seen))
            elif type(value).__name__ == "_lru_cache_wrapper":
                yield f"{value.__name__}.cache", value
            else:
                waiting.extend(_inside(value, own, seen))


def add_root(thing: Any) -> None:
    """What is only known to a framework: a callback, a generator."""
    # By their addresses: to compare two would be to ask the program.
    with contextlib.suppress(TypeError):
        _roots[id(thing)] = weakref.ref(thing)


_roots: dict[int, weakref.ref[Any]] = {}


def _call(root: weakref.ref[Any]) -> Any:
    return root()


def _inside(thing: Any, own: set[str], seen: set[int]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The names in something of the program's own, and what to say before them; nothing in what is not."""
    kind = type(thing)
    if id(thing) in seen:
        return
    if kind is _function:
        if thing.__closure__ and thing.__module__ in own:
            seen.add(id(thing))
            yield f"{thing.__name__}.", _cells(thing)
    elif kind is _generator:
        if thing.gi_frame is not None and thing.gi_frame.f_globals.get("__name__") in own:
            seen.add(id(thing))
            yield f"{thing.__name__}():", _locals(thing.gi_frame)
    elif kind is _method:
        yield from _inside(thing.__self__, own, seen)
        yield from _inside(thing.__func__, own, seen)
    elif isinstance(thing, type):
        if thing.__module__ in own:
            seen.add(id(thing))
            yield f"{thing.__name__}.", dict(vars(thing))
    elif kind.__module__ in own:
        seen.add(id(thing))
        found = getattr(thing, "__dict__", None)
        yield f"{kind.__name__}.", dict(found) if type(found) is dict else {}
        yield from _inside(kind, own, seen)
    elif kind.__module__.partition(".")[0] in trials.CALLBACKS:
        # Of a callback of a framework's own the functions that it was given.
        functions = {n: v for n, v in getattr(thing, "__dict__", {}).items() if type(v) is _function}
        if functions:
            seen.add(id(thing))
            yield f"{kind.__name__}.", functions


def is_container(value: Any) -> bool:
    """Whether it is one of those that are looked at: also an `OrderedDict`, a list of Keras."""
    kind = type(value)
    return issubclass(kind, _KINDS) and kind.__len__ in _LENGTHS


def size(container: Any) -> int:
    """How many things are in it, and in the containers right in it."""
    if type(container).__name__ == "_lru_cache_wrapper":
        info = container.cache_info()
        return 0 if info.currsize == info.maxsize else int(info.currsize)
    return len(container) + sum(len(one) for one in inner(container))


def inner(container: Any) -> list[Any]:
    """The containers right in a container, of the first so many things in it."""
    things = container.values() if isinstance(container, dict) else container
    return [one for _, one in zip(range(_INNER), things, strict=False) if is_container(one)]


def _own_modules() -> set[str]:
    own = {"__main__"}
    main = sys.modules.get("__main__")
    for name, module in list(sys.modules.items()):
        if module is main:
            continue  # also known as `__mp_main__`
        # Not by asking for the attribute: some modules are imported only then.
        file = getattr(module, "__dict__", {}).get("__file__")
        if isinstance(file, str) and is_users(file):
            own.add(name)
    return own


def _frames(frame: FrameType | None, own: set[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    while frame is not None:
        code = frame.f_code
        if frame.f_globals.get("__name__") in own and code.co_name != "<module>":
            yield f"{code.co_name}():", _locals(frame)
        frame = frame.f_back


def _locals(frame: FrameType) -> dict[str, Any]:
    """The variables of a frame; up to Python 3.12 it keeps what it gave, and with it what they were."""
    kept = frame.f_locals
    names = dict(kept)
    if sys.version_info < (3, 13):
        kept.clear()
    return names


def _cells(function: Any) -> dict[str, Any]:
    found = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__, strict=False):
        try:
            found[name] = cell.cell_contents
        except ValueError:
            continue  # not filled yet
    return found


_sizes: dict[str, list[int]] = {}
_told: set[str] = set()
_next = 0.0


def look() -> None:
    """Counts, if it is time, and tells of those that grow."""
    global _next
    began = monotonic()
    if began < _next:
        return
    _count(walk())
    ended = monotonic()
    _next = ended + _MIN_TIME_PER_COST * (ended - began)


def _count(found: Iterator[tuple[str, Any]]) -> None:
    now: dict[str, int] = {}
    seen: set[tuple[str, int]] = set()
    for path, container in found:
        if (path, id(container)) not in seen:
            seen.add((path, id(container)))
            now[path] = now.get(path, 0) + size(container)
    for path, count in now.items():
        counts = _sizes.setdefault(path, [])
        # Where looks are more often than additions, some see the same.
        if counts[-1:] != [count]:
            counts.append(count)
        if path not in _told and _grows(counts):
            _told.add(path)
            _native.fact(f"prove.grown.{path}", str(count))


def _grows(counts: list[int]) -> bool:
    last = counts[-_LOOKS:]
    return len(last) == _LOOKS and sorted(set(last)) == last
