"""Keeps blocks that every sampling must see, tells how many after each, and goes on for ever."""

import ctypes
import os
import sys

libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.malloc.argtypes = [ctypes.c_size_t]
small = []
print(os.getpid(), flush=True)
number = 0
while True:
    number += 1
    # 64 MiB and something that tells it from all others; the pages are never touched.
    assert libc.malloc((64 << 20) + number * 4096 + 13)
    small.extend(bytes(500 + number) for _ in range(200))
    print(number, flush=True)
    if len(sys.argv) > 1 and number == int(sys.argv[1]):
        input()
