"""Daemon threads want the GIL while Python ends, and what comes after Python takes longer than their turn."""

import ctypes
import sys
import threading


def work():
    kept = []
    while True:
        kept = [bytearray(size) for size in (50, 500, 5000, 500_000)] + kept[:100]


libc = ctypes.CDLL(None)
libc.__cxa_atexit(ctypes.cast(libc.usleep, ctypes.c_void_p), ctypes.c_void_p(100_000), None)
for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
print("before", flush=True)
libc.nilometer_recorder_python_ends()
sys.exit(6)
