"""The doors to paths, as the programs under test call them. The library is the first argument."""

from __future__ import annotations

import ctypes
import json
import sys
from collections.abc import Callable, Iterable
from typing import Any

LIBRARY = ctypes.PyDLL(sys.argv[1])
LIBRARY.graph_find.restype = ctypes.c_char_p
LIBRARY.graph_find.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_uint64)
LIBRARY.graph_whole.restype = ctypes.c_char_p
LIBRARY.census_object.restype = ctypes.c_char_p
LIBRARY.census_object.argtypes = (ctypes.c_uint64,)
BETWEEN = ctypes.PYFUNCTYPE(None)
LIBRARY.graph_whole.argtypes = (
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.c_size_t,
    ctypes.c_uint64,
    ctypes.c_void_p,
)


def find(*addresses: int, nodes: int = 0, pause: int = 0) -> list[Any]:
    """The path of each address, or None."""
    array = (ctypes.c_uint64 * len(addresses))(*addresses)
    found = json.loads(LIBRARY.graph_find(array, len(addresses), nodes, pause))
    assert isinstance(found, list), found
    return found


def whole(
    blocks: Iterable[tuple[int, int, int]],
    between: Callable[[], None] | None = None,
    nodes: int = 0,
    pause: int = 0,
) -> dict[str, Any]:
    """A look at the whole heap; blocks of id, address and size."""
    numbers = [number for block in blocks for number in block]
    array = (ctypes.c_uint64 * max(len(numbers), 1))(*numbers)
    call = BETWEEN(between) if between else None
    pointer = ctypes.cast(call, ctypes.c_void_p) if call else None
    found: dict[str, Any] = json.loads(LIBRARY.graph_whole(array, len(numbers) // 3, nodes, pause, pointer))
    return found


def block(address: int) -> tuple[int, int, int]:
    """An object's own allocation as a sample whose number is the object's address."""
    fact = json.loads(LIBRARY.census_object(address))
    return address, fact["start"], fact["bytes"]


def holders(found: dict[str, Any]) -> dict[int, dict[str, Any]]:
    """By sample: who holds it."""
    return {sample: holder for holder in found["holders"] for sample in holder["ids"]}
