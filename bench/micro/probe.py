"""Prints nanoseconds per allocation of several kinds, as JSON, for allocation_cost.py."""

import ctypes
import json
import sys
import timeit

ROUNDS = 15


def objects_ns(statement: str, turns: int) -> float:
    return min(timeit.repeat(statement, "kept = [None] * 4096", number=turns, repeat=ROUNDS)) / turns * 1e9


library = ctypes.CDLL(sys.argv[1])
for function in (library.hot_pair_ns, library.set_pair_ns):
    function.restype = ctypes.c_double
    function.argtypes = [ctypes.c_size_t, ctypes.c_long, ctypes.c_int]
print(
    json.dumps(
        {
            "malloc(64), free": library.hot_pair_ns(64, 2_000_000, ROUNDS),
            "malloc(1000), free": library.hot_pair_ns(1000, 2_000_000, ROUNDS),
            "in a set of 20,000": library.set_pair_ns(0, 1_000_000, ROUNDS),
            "object()": objects_ns("object()", 300_000),
            "object() into a list": objects_ns("for i in range(4096): kept[i] = object()", 60) / 4096,
            "nothing": objects_ns("None", 300_000),
        }
    )
)
