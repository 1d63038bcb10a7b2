"""The containers that belong to the program's own code, by names a person knows: `Keeps.saved`,
`__main__.LOSSES`.

In: the modules, instances, frames and functions of the program's own files. Out: their lists,
dictionaries, sets and caches with their names; and, as facts, those that grow with nearly every look.
Never: a container of a library, a property or any other code of the program run, or a reference that
stays.
"""

from __future__ import annotations

import gc
import sys
from collections import deque
from time import monotonic

from nilometer import _native

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType
    from typing import Any

_KINDS = (list, dict, set, deque)
# Of these methods nobody else's code is run: subclasses that have their own are left alone.
_LENGTHS = frozenset(kind.__len__ for kind in _KINDS)
# A look costs up to a tenth of a second: it is left alone for so many times as long.
_SHARE = 4.0
_LOOKS = 4
_INNER = 1000

_generator = type(_ for _ in ())
_function = type(lambda: None)


def walk(path: str = "") -> Iterator[tuple[str, Any]]:
    """All of them that can be named now; one may come by several names.

    Of those in a module only the one at `path`, if that is in one: then no more is looked at.
    """
    module, _, name = path.rpartition(".")
    if module in sys.modules:
        yield from _named({name: vars(sys.modules[module]).get(name)}, f"{module}.")
        return
    own = _own_modules()
    yield from _near(own)
    for thing in gc.get_objects():
        kind = type(thing)
        if kind is _function:
            if thing.__closure__ and thing.__module__ in own:
                yield from _named(_cells(thing), f"{thing.__name__}.")
        elif kind is _generator:
            if thing.gi_frame is not None and thing.gi_frame.f_globals.get("__name__") in own:
                yield from _named(thing.gi_frame.f_locals, f"{thing.__name__}():")
        elif kind.__name__ == "_lru_cache_wrapper":
            if getattr(thing, "__module__", None) in own:
                yield f"{thing.__name__}.cache", thing
        elif kind.__module__ in own:
            yield from _named(_attributes(thing), f"{kind.__name__}.")


def _near(own: set[str]) -> Iterator[tuple[str, Any]]:
    """Those that need no search: in modules and in functions that run."""
    for module in own:
        yield from _named(vars(sys.modules[module]), f"{module}.")
    for frame in list(sys._current_frames().values()):
        yield from _frames(frame, own)


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
    import os

    folder = os.getcwd() + "/"
    own = {"__main__"}
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if isinstance(file, str) and file.startswith(folder) and "site-packages" not in file:
            own.add(name)
    return own


def _named(names: dict[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    for name, value in list(names.items()):
        if is_container(value) and not (name.startswith("__") or name == "_"):
            yield prefix + name, value


def _frames(frame: FrameType | None, own: set[str]) -> Iterator[tuple[str, Any]]:
    while frame is not None:
        code = frame.f_code
        if frame.f_globals.get("__name__") in own and code.co_name != "<module>":
            yield from _named(frame.f_locals, f"{code.co_name}():")
        frame = frame.f_back


def _cells(function: Any) -> dict[str, Any]:
    found = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__, strict=False):
        try:
            found[name] = cell.cell_contents
        except ValueError:
            continue  # not filled yet
    return found


def _attributes(thing: Any) -> dict[str, Any]:
    found = getattr(thing, "__dict__", None)
    names = dict(found) if type(found) is dict else {}
    names.update({name: value for name, value in vars(type(thing)).items() if is_container(value)})
    return names


_sizes: dict[str, list[int]] = {}
_told: set[str] = set()
_next_near = 0.0
_next_all = 0.0


def look() -> None:
    """Counts, if it is time, and tells of those that grow."""
    global _next_near, _next_all
    began = monotonic()
    if began < min(_next_near, _next_all):
        return
    everything = began >= _next_all
    _count(walk() if everything else _near(_own_modules()))
    ended = monotonic()
    _next_near = ended + _SHARE * (ended - began if not everything else 0.001)
    if everything:
        _next_all = ended + _SHARE * (ended - began)


def _count(found: Iterator[tuple[str, Any]]) -> None:
    now: dict[str, int] = {}
    seen: set[tuple[str, int]] = set()
    for path, container in found:
        if (path, id(container)) not in seen:
            seen.add((path, id(container)))
            now[path] = now.get(path, 0) + size(container)
    for path, count in now.items():
        counts = _sizes.setdefault(path, [])
        counts.append(count)
        if path not in _told and _grows(counts):
            _told.add(path)
            _native.fact(f"prove.grown.{path}", str(count))


def _grows(counts: list[int]) -> bool:
    last = counts[-_LOOKS:]
    return len(last) == _LOOKS and sorted(set(last)) == last
