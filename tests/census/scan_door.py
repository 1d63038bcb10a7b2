"""The doors of the test library to objects, sizes and scans.

Standard library only: it runs in the interpreter under test. The library is the program's first argument.
"""

from __future__ import annotations

import ctypes
import json
import sys
import traceback
from typing import Any

LIBRARY = ctypes.PyDLL(sys.argv[1])  # calls keep the GIL
for name in (
    "census_find",
    "census_object",
    "census_sizes",
    "census_tracked",
    "census_scan",
    "census_waiting",
    "census_with_paths",
):
    getattr(LIBRARY, name).restype = ctypes.c_char_p
LIBRARY.census_object.argtypes = LIBRARY.census_sizes.argtypes = (ctypes.c_uint64,)
LIBRARY.census_waiting.argtypes = (ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint64)
LIBRARY.census_forget.argtypes = (ctypes.c_uint64, ctypes.c_uint64)
LIBRARY.census_with_paths.argtypes = (ctypes.c_uint64,)
LIBRARY.census_forget.restype = None
ENOUGH_MS = 60_000  # a slow machine must not cut a scan short unless a test asks for it


def found() -> Any:
    """Whether the census can read this Python."""
    return json.loads(LIBRARY.census_find())


def seen(thing: object) -> Any:
    """What the census reads of an object."""
    return json.loads(LIBRARY.census_object(id(thing)))


def seen_at(address: int) -> Any:
    """What the census reads of the object at an address, to which there is no reference here."""
    return json.loads(LIBRARY.census_object(address))


def allocated(size: int) -> int:
    """What an allocator takes for a block of so many bytes."""
    return (size + 15) // 16 * 16 if size <= 512 else (size + 8 + 15) // 16 * 16


def sizes(thing: object) -> Any:
    """What of an object stands outside of its block."""
    return json.loads(LIBRARY.census_sizes(id(thing)))


def tracked() -> list[int]:
    """Addresses of what the collector tracks."""
    return list(json.loads(LIBRARY.census_tracked()))


def forget(objects: int = 0, walk_ms: int = ENOUGH_MS) -> None:
    """The next scan is the first."""
    LIBRARY.census_forget(objects, walk_ms)


def scan() -> Any:
    """One scan."""
    return json.loads(LIBRARY.census_scan())


def waiting(older: object, younger: object, max_objects: int = 1_000_000) -> Any:
    """Garbage behind two marks."""
    return json.loads(LIBRARY.census_waiting(id(older), id(younger), max_objects))


def scan_with_paths(cycle: int) -> Any:
    """One scan as the Python module makes it."""
    return json.loads(LIBRARY.census_with_paths(cycle))


def grown(thing: object, result: Any) -> Any:
    """What a scan says of a container; None if it does not grow."""
    return next((one for one in result["grown"] if one["address"] == id(thing)), None)


def run_checks(names: dict[str, Any]) -> None:
    """Runs each function that is a check, and says when it begins and whether it passed."""
    checks = [(name, check) for name, check in names.items() if name.startswith("check_")]
    del names  # a path must not lead through here
    failed = 0
    for name, check in checks:
        print(f"begun {name}", flush=True)
        try:
            check()
        except BaseException:
            traceback.print_exc(file=sys.stdout)
            failed = 1
        else:
            print(f"passed {name}", flush=True)
    if failed:
        sys.exit(1)
