"""Runs in the interpreter under test: decodes every line table of the standard library natively.

Usage: lines_program.py PROBE [EVERY]; compares the line of every instruction with `co_lines()`, names with
the code object's own. Prints a summary line, exits 1 at the first difference. EVERY: only each such file.
"""

from __future__ import annotations

import ctypes
import sys
import sysconfig
import warnings
from pathlib import Path
from types import CodeType


def code_objects(code: CodeType):
    """A code object and all inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from code_objects(constant)


def expected_lines(code: CodeType) -> list[int]:
    """The line of each instruction, the first line where there is none."""
    lines = [code.co_firstlineno] * (len(code.co_code) // 2)
    for start, end, line in code.co_lines():
        if line is not None:
            lines[start // 2 : end // 2] = [line] * (end // 2 - start // 2)
    return lines


def main() -> int:
    """Compiles the standard library file by file and compares."""
    probe = ctypes.PyDLL(sys.argv[1])
    probe.probe_lines.argtypes = (ctypes.c_uint64, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint32)
    probe.probe_names.argtypes = (ctypes.c_uint64, ctypes.c_char_p)
    every = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    warnings.simplefilter("ignore")
    names = ctypes.create_string_buffer(2048)
    objects = instructions = 0
    for path in sorted(Path(sysconfig.get_path("stdlib")).rglob("*.py"))[::every]:
        if "site-packages" in path.parts:
            continue
        try:
            module = compile(path.read_bytes(), str(path), "exec")
        except (SyntaxError, ValueError):
            continue  # the compiler's own tests
        for code in code_objects(module):
            expected = expected_lines(code)
            # Each is decoded from the table's beginning; of the longest code objects only some are.
            step = 1 + len(expected) // 2000
            expected = expected[::step]
            found = (ctypes.c_uint32 * len(expected))()
            probe.probe_lines(id(code), found, len(expected), step)
            if list(found) != expected:
                differing = next(i for i in range(len(expected)) if found[i] != expected[i])
                print(
                    f"{code}: instruction {differing}: line {found[differing]} is not {expected[differing]}"
                )
                return 1
            first_line = probe.probe_names(id(code), names)
            file, function = names.raw.split(b"\0")[:2]
            name = code.co_qualname if sys.version_info >= (3, 11) else code.co_name
            if (first_line, file.decode(), function.decode()) != (code.co_firstlineno, str(path), name):
                print(f"{code}: {first_line} {file!r} {function!r}")
                return 1
            objects += 1
            instructions += len(expected)
    print(f"{objects} code objects, {instructions} instructions")
    return 0 if objects > 100 else 1


if __name__ == "__main__":
    sys.exit(main())
