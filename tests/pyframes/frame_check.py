"""Walks the caller's frames natively and compares with what Python shows; what differs is kept in `failures`.

Standard library only: this runs in the interpreter under test. The library is the first argument.
"""

from __future__ import annotations

import ctypes
import sys
from types import FrameType

NOT_STARTED = 2**32 - 1
COMPLETE = 2**30
ROOM = 12000


class Seen(ctypes.Structure):
    """One frame of the native walk."""

    _fields_ = (
        ("code", ctypes.c_uint64),
        ("instruction", ctypes.c_uint32),
        ("line", ctypes.c_uint32),
        ("entry", ctypes.c_uint32),
    )


FREE = ctypes.CDLL(sys.argv[1])  # calls release the GIL
HELD = ctypes.PyDLL(sys.argv[1])  # calls keep it
for library in (FREE, HELD):
    library.probe_walk.argtypes = (ctypes.c_void_p, ctypes.c_size_t)
    library.probe_names.argtypes = (ctypes.c_uint64, ctypes.c_char_p)
    library.probe_lines.argtypes = (ctypes.c_uint64, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint32)
    library.probe_identity.argtypes = (ctypes.c_uint64,)
    library.probe_identity.restype = ctypes.c_uint64

CALLBACK = ctypes.CFUNCTYPE(None)
checks = 0
failures: list[str] = []
situation = ""


def fail(what: str) -> None:
    """Keeps what differs."""
    failures.append(f"{situation}: {what}")


def room() -> ctypes.Array[Seen]:
    """A buffer of its own for each walk: a trace function walks while another walk is being compared."""
    return (Seen * ROOM)()


def python_side(frame: FrameType | None) -> list[tuple[str, str, int, int]]:
    """File, function, line and instruction of the frames that Python shows, innermost first."""
    frames = []
    while frame is not None:
        code = frame.f_code
        name = code.co_qualname if sys.version_info >= (3, 11) else code.co_name
        file = "".join("\ufffd" if "\ud800" <= letter <= "\udfff" else letter for letter in code.co_filename)
        line = code.co_firstlineno if frame.f_lineno is None else frame.f_lineno
        frames.append((file, name, line, frame.f_lasti))
        frame = frame.f_back
    return frames


def native_side(seen: ctypes.Array[Seen], count: int) -> list[tuple[str, str, int, int]]:
    """The same from the native walk."""
    names = ctypes.create_string_buffer(2048)
    frames = []
    for frame in seen[:count]:
        if frame.code == 0:
            continue
        if HELD.probe_names(frame.code, names) < 0:
            fail("a code object without names")
        file, function = names.raw.split(b"\0")[:2]
        instruction = -1 if frame.instruction == NOT_STARTED else frame.instruction
        frames.append((file.decode(), function.decode(), frame.line, instruction))
    return frames


def check() -> None:
    """Compares both sides, called in the situation under test."""
    global checks
    seen = room()
    for library in (HELD, FREE):
        walk, runs_now = library.probe_walk, library.probe_runs
        # One line, as the frame itself goes on.
        result, expected, runs = walk(seen, ROOM), python_side(sys._getframe()), runs_now()
        count = result % COMPLETE
        if result < COMPLETE:
            fail("not complete")
        found = native_side(seen, count)
        if [frame[:3] for frame in found] != [frame[:3] for frame in expected]:
            fail(f"{found[:12]} is not {expected[:12]}")
        # Instructions of the callers: the innermost frame has gone on within its line.
        if found[1:] != expected[1:]:
            fail(f"other instructions: {found[1:12]} is not {expected[1:12]}")
        entries = sum(frame.entry for frame in seen[:count])
        if entries != runs and runs >= 0:
            fail(f"{entries} entries, {runs} runs of the evaluator")
        checks += 1


c_check = CALLBACK(check)
