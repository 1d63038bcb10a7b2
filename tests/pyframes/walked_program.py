"""Runs in the interpreter under test: walks its own frames in many situations, natively and in Python.

Usage: walked_program.py PROBE; prints a line per situation, exits 1 if any differs. Standard library only.
"""

from __future__ import annotations

import ctypes
import sys

import frame_check
import situations
from frame_check import COMPLETE, HELD, Seen, fail


def identities() -> None:
    """The address of a code object that died is soon another's; the identity must not be."""

    def made(number: int):
        source = "\n" * (number % 3) + f"def f{number % 5}(): pass"
        scope: dict = {}
        exec(compile(source, f"file{number % 7}.py", "exec"), scope)
        return scope[f"f{number % 5}"].__code__

    reused, facts = 0, {}
    for number in range(500):
        code = made(number)
        own = (code.co_firstlineno, code.co_name, code.co_filename)
        identity = HELD.probe_identity(id(code))
        reused += any(key[0] == id(code) for key in facts)
        if facts.setdefault((id(code), identity), own) != own:
            fail(f"one identity for {own} and {facts[id(code), identity]}")
    if not reused:
        fail("no address was used again, so nothing was tested")


def short_of_room() -> None:
    """With less room than frames, the innermost ones are seen and the walk is not complete."""
    whole, part = (Seen * 64)(), (Seen * 64)()
    full, cut = HELD.probe_walk(whole, 64), HELD.probe_walk(part, 2)
    none = HELD.probe_walk(part, 0) if cut else -1
    if full < COMPLETE or cut != 2 or none != 0:
        fail(f"{full} {cut} {none}")
    if [(frame.code, frame.entry) for frame in whole[1:2]] != [
        (frame.code, frame.entry) for frame in part[1:2]
    ]:
        fail("other frames")


def not_python() -> None:
    """A pointer that is no code object's has no names, and nothing is read through it."""
    names, line = ctypes.create_string_buffer(2048), ctypes.c_uint32(1)
    for thing in (None, "text", b"bytes", 1.5, object()):
        HELD.probe_lines(id(thing), ctypes.addressof(line), 1, 1)
        if HELD.probe_names(id(thing), names) != -1 or names.raw[:4] != b"?\0?\0" or line.value:
            fail(f"names of {thing!r}")
    for address in (0, 1, 8, 4097, 2**63, 2**64 - 8):
        if HELD.probe_names(address, names) != -1:
            fail(f"names at {address}")


def main() -> int:
    """Runs all situations."""
    why = ctypes.create_string_buffer(256)
    if HELD.probe_support(why) != 1:
        print(f"not supported: {why.value.decode()}")
        return 2
    for run in (*situations.ALL, identities, short_of_room, not_python):
        frame_check.situation = run.__name__
        before, failed = frame_check.checks, len(frame_check.failures)
        run()
        walks, differing = frame_check.checks - before, len(frame_check.failures) - failed
        print(f"{run.__name__}: {walks} walks, {differing} failures")
    for failure in frame_check.failures[:20]:
        print(failure)
    return 1 if frame_check.failures else 0


if __name__ == "__main__":
    sys.exit(main())
