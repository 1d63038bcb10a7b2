"""Runs in the interpreter under test: walks while it runs, at exit, and while it is taken apart.

Usage: ending_program.py PROBE. A daemon thread walks all the time, without the GIL, through the end.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import sys
import threading
import types

probe = ctypes.CDLL(sys.argv[1])
probe.probe_walk.argtypes = (ctypes.c_void_p, ctypes.c_size_t)
probe.probe_cost.restype = ctypes.c_double
room = ctypes.create_string_buffer(24 * 64)


def say(when: str, walk=probe.probe_walk, room=room, write=os.write) -> None:
    """One line, written without Python's own buffers, which are gone at the end."""
    write(1, f"{when}: {'frames' if walk(room, 64) % 2**30 > 0 else 'none'}\n".encode())


class Last:
    """Dies with the module."""

    def __del__(self, say=say) -> None:
        say("finalising")


def walk_on(started: threading.Event) -> None:
    """Each call walks 40,000 times, then needs the GIL, which it never gets once the end has begun."""
    while True:
        probe.probe_cost(1)
        started.set()


started = threading.Event()
for _ in range(2):
    threading.Thread(target=walk_on, args=(started,), daemon=True).start()
started.wait()
say("running")
atexit.register(say, "atexit")
# In a module of its own: the daemon threads keep this one's variables.
keeper = types.ModuleType("keeper")
keeper.last = Last()  # type: ignore[attr-defined]
sys.modules["keeper"] = keeper
