"""One arena for all threads.

What: the C library takes memory for all threads from one place.
How: as `MALLOC_ARENA_MAX=1` does, by `mallopt`, before the program has threads.
Proves: resident memory grew because each thread's arena keeps its own free memory; the program does not
leak.
"""

from __future__ import annotations

from nilometer.interventions import acted

_M_ARENA_MAX = -8


def install(_: str) -> None:
    """Sets the most arenas to one."""
    import ctypes

    if ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 1):
        acted("one-arena")
