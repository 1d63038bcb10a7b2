"""Objects by each of Python's functions, with what is in them, and whether Python counts them right."""

import ctypes
import gc
import random
import sys

api = ctypes.pythonapi
for name in ("PyObject_Malloc", "PyObject_Calloc", "PyObject_Realloc", "PyMem_Malloc", "PyMem_Realloc"):
    getattr(api, name).restype = ctypes.c_void_p
malloc = {"Object": api.PyObject_Malloc, "Mem": api.PyMem_Malloc}
realloc = {"Object": api.PyObject_Realloc, "Mem": api.PyMem_Realloc}
free = {"Object": api.PyObject_Free, "Mem": api.PyMem_Free}


def size(number: int) -> ctypes.c_size_t:
    return ctypes.c_size_t(number)


def turn(rng: random.Random, domain: str) -> bool:
    """One block that is made, made larger or smaller a few times, and freed; its bytes stay what they are."""
    length = rng.randrange(1, 700)
    if domain == "Object" and rng.random() < 0.5:
        at = ctypes.c_void_p(api.PyObject_Calloc(size(1), size(length)))
        right = ctypes.string_at(at, length) == bytes(length)
    else:
        at = ctypes.c_void_p(malloc[domain](size(length)))
        right = True
    wanted = rng.randbytes(length)
    ctypes.memmove(at, wanted, length)
    for _again in range(3):
        fresh = rng.randrange(1, 700)
        at = ctypes.c_void_p(realloc[domain](at, size(fresh)))
        kept = wanted[:fresh]
        right = right and ctypes.string_at(at, len(kept)) == kept
        wanted = rng.randbytes(fresh)
        ctypes.memmove(at, wanted, fresh)
    free[domain](at)
    return right


def turns(number: int) -> bool:
    rng = random.Random(number)
    return all(turn(rng, domain) for _again in range(number) for domain in malloc)


def garbage(number: int) -> int:
    kept = [(float(n), str(n)) for n in range(number)]
    return len(kept)


turns(100)
gc.collect()
before = sys.getallocatedblocks()
right = turns(4000)
made = garbage(100_000)
gc.collect()
print(right, made, abs(sys.getallocatedblocks() - before) < 200)
