"""How much memory a value keeps, in a fraction of a millisecond and without running the program's code.

In: a value. Out: bytes, estimated where it is a container with many elements.
Never: an import; an attribute of a type that is not known here; more than a few levels or a few hundred
elements of a container.
"""

from __future__ import annotations

import sys
from collections import deque
from itertools import islice
from types import ModuleType
from typing import TYPE_CHECKING, Any

from nilometer import frameworks

if TYPE_CHECKING:
    from collections.abc import Callable

# Levels of containers that are followed, and elements of each that are looked at.
_LEVELS = 3
_ELEMENTS = 200
_CONTAINERS = (list, tuple, set, frozenset, deque)


def size_of(value: Any, seen: set[int] | None = None, levels: int = _LEVELS) -> int:
    """Bytes that the value keeps; nothing for one that is in `seen`, to which it is added."""
    seen = set() if seen is None else seen
    if id(value) in seen or value is None or isinstance(value, (bool, int, float, ModuleType, type)):
        return 0
    seen.add(id(value))
    kind = type(value)
    try:
        known = _weigher(kind.__module__.partition(".")[0])
        size = known(value) if known is not None else None
        if size is not None:
            return int(size)
        if kind is dict or isinstance(value, dict):
            return _plain(value) + _elements(
                list(islice(dict.values(value), _ELEMENTS)), dict.__len__(value), seen, levels
            )
        if isinstance(value, _CONTAINERS):
            return _plain(value) + _elements(list(islice(iter(value), _ELEMENTS)), len(value), seen, levels)
        held = _attributes(value)
        own = _plain(value)
        return (
            own if held is None else own + _elements(list(held.values())[:_ELEMENTS], len(held), seen, levels)
        )
    except Exception:
        return _plain(value)


def _plain(value: Any) -> int:
    try:
        return sys.getsizeof(value)
    except Exception:
        return 0


def _attributes(value: Any) -> dict[str, Any] | None:
    try:
        held = object.__getattribute__(value, "__dict__")
    except Exception:
        return None
    return held if isinstance(held, dict) else None


def _elements(some: list[Any], count: int, seen: set[int], levels: int) -> int:
    """Bytes below the elements, of which some were taken."""
    if levels == 0 or not some:
        return 0
    size = sum(size_of(one, seen, levels - 1) for one in some)
    return size if len(some) == count else size * count // len(some)


def _numpy(value: Any) -> int | None:
    array = sys.modules["numpy"].ndarray
    if not isinstance(value, array):
        return None
    # A view keeps what it was cut from.
    while isinstance(value.base, array):
        value = value.base
    return int(value.nbytes)


def of_shape(value: Any) -> int | None:
    """Bytes of what says its shape and its type, or of a model by its weights; None for anything else."""
    weights = getattr(value, "weights", None)
    if isinstance(weights, list):
        return sum(of_shape(one) or 0 for one in weights)
    shape, kind = getattr(value, "shape", None), getattr(value, "dtype", None)
    if shape is None or kind is None:
        return None
    count = 1
    for side in tuple(shape):
        count *= int(side)
    return count * (getattr(kind, "itemsize", None) or getattr(kind, "size", None) or _width(str(kind)))


def _width(kind: str) -> int:
    bits = "".join(letter for letter in kind if letter.isdigit())
    return int(bits) // 8 if bits else 1


_known: dict[str, Callable[[Any], int | None]] = {"numpy": _numpy}


def _weigher(package: str) -> Callable[[Any], int | None] | None:
    known = _known.get(package)
    if known is None and package in frameworks.WEIGHTS:
        known = _known[package] = frameworks.load(frameworks.WEIGHTS[package]).weigh
    return known
