"""What looks at the heap cost beside other tools, in a process with TensorFlow, Keras and a fitted model.

    python bench/census_cost.py LIBRARY [ROUNDS]

LIBRARY is the census's test library, built for release:
`cargo build --release -p nilometer-frameworks --example census_probe`. Tools that are not installed are left
out. Prints milliseconds of this thread's processor time, the least and the middle of all rounds, and the most
memory that a round added at its peak. All tools see the same heap, in the same process, in turn.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
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


def resident(field: str) -> int:
    """Kilobytes of this process that are in memory now (VmRSS), or were at most (VmHWM)."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field))


def row(what: str, times: list[float], added: list[int]) -> None:
    """Prints a line."""
    print(
        f"{what:40} {min(times):9.2f} {statistics.median(times):9.2f} ms {max(added) / 1024:8.1f} MB",
        flush=True,
    )


def measure(what: str, call: Callable[[], object], rounds: int) -> list[Any]:
    """Runs it and prints a line; gives what it returned where that is text."""
    times, added, said = [], [], []
    for _ in range(rounds):
        Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
        before = resident("VmRSS")
        start = time.thread_time()
        result = call()
        times.append((time.thread_time() - start) * 1e3)
        added.append(resident("VmHWM") - before)
        said.append(result if isinstance(result, bytes) else None)
        del result
    row(what, times, added)
    return said


class Keeper:
    """Holds what grows."""

    def __init__(self) -> None:
        self.saved: list[object] = []


KEEPER = Keeper()


def ours(library: ctypes.PyDLL, rounds: int) -> None:
    """The scan, the search for one holder, the whole look."""
    for door in ("census_scan", "census_find", "graph_find", "graph_whole"):
        getattr(library, door).restype = ctypes.c_char_p
    library.census_forget(ctypes.c_uint64(0), ctypes.c_uint64(10_000))
    found = json.loads(library.census_find())
    if "error" in found:
        sys.exit(found["error"])
    measure("scan", library.census_scan, rounds)

    def growing() -> Any:
        for kept in range(50):
            KEEPER.saved.append([float(kept)])
        return library.census_scan()

    counts = json.loads(measure("scan with a list that grows", growing, rounds)[-1])
    print(
        f"    {counts['objects']:,} objects, {counts['containers']:,} containers, "
        f"tables of {counts['table_bytes'] / 2**20:.1f} MiB"
    )
    target = (ctypes.c_uint64 * 1)(id(KEEPER.saved))
    none, zero = ctypes.c_size_t(0), ctypes.c_uint64(0)
    said = measure("holder", lambda: library.graph_find(target, ctypes.c_size_t(1), none, zero), rounds)
    print(f"    {json.loads(said[-1])[0]['text']}")
    looks = measure("whole look", lambda: library.graph_whole(None, none, none, zero, None), rounds)
    whole = [json.loads(look) for look in looks]
    pauses = [look["pause_ns"] / 1e6 for look in whole]
    print(
        f"    of it with the GIL {min(pauses):.1f}, {statistics.median(pauses):.1f} ms; "
        f"{whole[-1]['objects']:,} objects, {whole[-1]['edges']:,} references, cut {whole[-1]['cut']}"
    )


def theirs(rounds: int) -> None:
    """Other tools, the nearest that each has to the above."""
    few = max(rounds // 4, 1)
    measure("gc.get_objects()", gc.get_objects, rounds)
    measure("gc.collect()", gc.collect, rounds)
    if objgraph := tool("objgraph"):
        measure("objgraph.typestats()", objgraph.typestats, few)
        measure("objgraph.growth()", lambda: objgraph.growth(limit=10), few)
        measure(
            "objgraph.find_backref_chain()",
            lambda: objgraph.find_backref_chain(KEEPER.saved, objgraph.is_proper_module),
            few,
        )
    if muppy := tool("pympler.muppy"):
        summary = tool("pympler.summary")
        measure("pympler: muppy.get_objects()", muppy.get_objects, 2)
        measure("pympler: and summary.summarize()", lambda: summary.summarize(muppy.get_objects()), 2)
    if guppy := tool("guppy"):
        heap = guppy.hpy()
        measure("guppy3: heap()", heap.heap, 2)
        measure("guppy3: heap().byrcs", lambda: str(heap.heap().byrcs), 1)


def main() -> None:
    """Builds the heap once, then takes the tools in turn."""
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    process()
    gc.collect()
    gc.disable()
    ours(ctypes.PyDLL(sys.argv[1]), rounds)
    theirs(rounds)


if __name__ == "__main__":
    main()
