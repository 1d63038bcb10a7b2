"""A function repeated and judged: `nilometer.check()`.

In: a function, and how often to call it. Out: the report of those calls alone.
Never: an exception of the function swallowed; a capture left behind that nobody asked for; garbage that waits
for the collector taken for a leak.
"""

from __future__ import annotations

import gc
import math
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from nilometer.api.errors import RecordingError
from nilometer.api.recording import start

if TYPE_CHECKING:
    from nilometer.api.report import Report

# Fewer calls than this give no verdict, whatever they keep.
MIN_CYCLES = 8
# Where the caller does not say: so many calls at least, and no more than fit into this time or number.
_USUAL_CYCLES = 40
_MAX_CYCLES = 2000
_USUAL_SECONDS = 0.5
# So many calls are read exactly, evenly spread over the first part; each costs a full collection.
_MAX_READ_CYCLES = 60
# The last part of the calls is looked at, so often: growth of a container needs several looks. None is read
# there: what a look gives back stays in the C library's caches for a while, as much as many calls keep.
_LOOKED_RATIO = 0.3
_LOOKS = 5
# Live memory that rose by less than this per call, in the second half of the first part, asks for no look.
_MIN_RISE_BYTES_PER_CALL = 32
# The first calls load what is loaded once.
_WARM_UP_CYCLES = 3


def check(
    function: Callable[[], object],
    cycles: int | None = None,
    *,
    capture: str | os.PathLike[str] | None = None,
) -> Report:
    """Calls `function` `cycles` times and gives the report of it: what each call adds to live memory.

    Without `cycles` there are 40 calls, and more where they fit into half a second. Each call that is read is
    followed by a full collection, so garbage is no growth. `capture` keeps what was recorded. An exception of
    the function ends the check and is raised.

    Raises `ValueError` for fewer than 8 cycles, and `RecordingError` where this process is recorded already.
    """
    from nilometer import _native

    if cycles is not None and cycles < MIN_CYCLES:
        from nilometer.api import words

        raise ValueError(words.too_few_cycles(cycles, MIN_CYCLES))
    if _native.is_recording():
        from nilometer.api import words

        raise RecordingError(words.NEEDS_OWN_RECORDING)
    name = f"{getattr(function, '__name__', type(function).__name__)}()"
    if capture is not None:
        return _checked(function, cycles, name, Path(os.fsdecode(capture)))
    with tempfile.TemporaryDirectory(prefix="nilometer-") as folder:
        return _checked(function, cycles, name, Path(folder) / "check.nilo")


def _checked(function: Callable[[], object], cycles: int | None, name: str, path: Path) -> Report:
    from nilometer import _late

    recording = start(path, overwrite=True, census=False, name=name)
    try:
        _repeat(_Calls(function), cycles)
    finally:
        # What the looks left in the C library's caches would be the last reading's.
        _late.stop(look=False)
    return recording.report()


def _repeat(calls: _Calls, cycles: int | None) -> None:
    from nilometer import _native
    from nilometer.hooks import ticks

    for _ in range(_WARM_UP_CYCLES):
        calls.read(1)
    # What the clock calls makes its tables the first time: not among the calls that are read.
    ticks.tick()
    rest = (cycles or calls.affordable()) - _WARM_UP_CYCLES
    looked = int(rest * _LOOKED_RATIO)
    blocks = _blocks(rest - looked, _MAX_READ_CYCLES - _WARM_UP_CYCLES)
    late = blocks[len(blocks) // 2 :]
    for block in blocks[: -len(late)]:
        calls.read(block)
    before = calls.live()
    for block in late:
        calls.read(block)
    _native.stop_clock()
    has_risen = calls.live() - before >= _MIN_RISE_BYTES_PER_CALL * sum(late)
    for block in _blocks(looked, _LOOKS if has_risen else _MAX_READ_CYCLES):
        if has_risen:
            calls.look(block)
        else:
            calls.read(block)


def _blocks(calls: int, most: int) -> list[int]:
    """So many calls in at most so many blocks of nearly the same size."""
    blocks = min(calls, most)
    return [(nth + 1) * calls // blocks - nth * calls // blocks for nth in range(blocks)]


class _Calls:
    """The calls so far."""

    def __init__(self, function: Callable[[], object]) -> None:
        self.function = function
        self.seconds = math.inf

    def read(self, calls: int) -> None:
        """Makes so many calls, and reads live memory after the last one."""
        self._make(calls, read=True)

    def look(self, calls: int) -> None:
        """Makes so many calls, and looks at who holds what after the last one."""
        self._make(calls, read=False)

    def live(self) -> int:
        """Live memory now, in bytes."""
        from nilometer import _native

        return _native.read_now() or 0

    def affordable(self) -> int:
        """How many calls are made where nobody says it."""
        fit = int(_USUAL_SECONDS / max(self.seconds, 1e-9))
        return max(_USUAL_CYCLES, min(fit, _MAX_CYCLES))

    def _make(self, calls: int, read: bool) -> None:
        from nilometer import _native
        from nilometer.hooks import marks

        for nth in range(1, calls + 1):
            began = time.perf_counter()
            self.function()
            self.seconds = min(self.seconds, time.perf_counter() - began)
            if nth < calls:
                _native.cycle_exactly(marks.CHECK, False, False)
        gc.collect()
        _native.cycle_exactly(marks.CHECK, read, not read)
