"""Another one stands in front of Python's allocator while the recorder comes and goes: tracemalloc."""

import os
import tracemalloc

import door

keep = []


def objects():
    for _ in range(20000):
        keep.append(complex(1, 2))


assert door.start() is None
tracemalloc.start()
door.stop()
objects()
assert door.start() is None  # ours is called by tracemalloc's still
keep.clear()
objects()
tracemalloc.stop()
objects()
door.stop()
objects()
assert door.start() is None
keep.clear()
objects()
objects()
assert not tracemalloc.is_tracing()
os._exit(0)
