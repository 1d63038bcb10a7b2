"""What one scan of the heap costs beside other tools, in a process with TensorFlow, Keras and a fitted model.

    python bench/census_cost.py LIBRARY [ROUNDS]

LIBRARY is the census's test library, built for release:
`cargo build --release -p nilometer-census --example census_probe`. Tools that are not installed are left out.
Prints milliseconds of this thread's processor time, the least and the middle of all rounds, and added memory.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import json
import resource
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any


def process() -> None:
    """A process as a user has it."""
    import keras
    import numpy as np

    model = keras.Sequential([keras.layers.Dense(64, activation="relu"), keras.layers.Dense(1)])
    model.compile("adam", "mse")
    model.fit(np.zeros((640, 20), "f4"), np.zeros((640, 1), "f4"), epochs=2, verbose=0)


def tool(name: str) -> Any:
    """A module, if it is installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def measure(what: str, call: Callable[[], object], rounds: int) -> None:
    """Runs it and prints a line."""
    times = []
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(rounds):
        start = time.thread_time()
        call()
        times.append((time.thread_time() - start) * 1e3)
    added = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(f"{what:40} {min(times):9.2f} {statistics.median(times):9.2f} ms {added / 1024:8.1f} MB")


def main() -> None:
    """Builds the heap once, then takes the tools in turn."""
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    process()
    library = ctypes.PyDLL(sys.argv[1])
    library.census_scan.restype = library.census_find.restype = ctypes.c_char_p
    found = json.loads(library.census_find())
    if "error" in found:
        sys.exit(found["error"])
    gc.collect()
    gc.disable()
    saved: list[object] = []
    measure("scan", library.census_scan, rounds)

    def growing() -> None:
        for kept in range(50):
            saved.append([float(kept)])
        library.census_scan()

    measure("scan with a list that grows", growing, rounds)
    counts = json.loads(library.census_scan())
    print(
        f"    {counts['objects']:,} objects, {counts['containers']:,} containers, "
        f"tables of {counts['table_bytes'] / 2**20:.1f} MiB"
    )
    measure("gc.get_objects()", gc.get_objects, rounds)
    if objgraph := tool("objgraph"):
        measure("objgraph.typestats()", objgraph.typestats, max(rounds // 3, 1))
        measure("objgraph.growth()", lambda: objgraph.growth(limit=10), max(rounds // 3, 1))
    if muppy := tool("pympler.muppy"):
        measure("pympler: muppy.get_objects()", muppy.get_objects, 1)
    if guppy := tool("guppy"):
        heap = guppy.hpy()
        measure("guppy3: heap()", heap.heap, 1)


if __name__ == "__main__":
    main()
