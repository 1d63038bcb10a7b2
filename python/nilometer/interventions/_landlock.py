"""Landlock: the kernel's way for a process to give up rights for good, its children's too, without
privileges.

In: folders. Out: writing, making and removing files works below them only. False where the kernel has no
Landlock.
Never: an exception, or a right given up halfway.
"""

from __future__ import annotations

import os

_CREATE, _ADD, _RESTRICT = 444, 445, 446  # the same numbers on all machines
_NO_NEW_PRIVILEGES = 38
_BELOW = 1

_WRITE_FILE = 1 << 1
_REMOVE_AND_MAKE = sum(1 << bit for bit in range(4, 13))
_REFER = 1 << 13  # from version 2 on: moving between folders, which is refused unless it is named
_TRUNCATE = 1 << 14  # from version 3 on


def restrict(folders: list[str]) -> bool:
    """Lets this process write below `folders` only. Whether it could be done."""
    try:
        import ctypes

        return _restrict(folders, ctypes.CDLL(None, use_errno=True))
    except Exception:
        return False


def _restrict(folders: list[str], libc: object) -> bool:
    import ctypes
    from typing import Any, cast

    c: Any = cast(Any, libc)
    version = c.syscall(_CREATE, None, 0, 1)
    if version < 1:
        return False
    rights = _WRITE_FILE | _REMOVE_AND_MAKE
    rights |= (_REFER if version >= 2 else 0) | (_TRUNCATE if version >= 3 else 0)
    attribute = ctypes.c_uint64(rights)
    rules = c.syscall(_CREATE, ctypes.byref(attribute), 8, 0)
    if rules < 0:
        return False
    try:
        for folder in folders:
            if not _add(c, rules, folder, rights):
                return False
        if c.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) != 0:
            return False
        return bool(c.syscall(_RESTRICT, rules, 0) == 0)
    finally:
        os.close(rules)


def _add(c: object, rules: int, folder: str, rights: int) -> bool:
    import ctypes
    from typing import Any, cast

    try:
        below = os.open(folder, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return True
    try:
        rule = ctypes.create_string_buffer(rights.to_bytes(8, "little") + below.to_bytes(4, "little"), 12)
        return bool(cast(Any, c).syscall(_ADD, rules, _BELOW, rule, 0) == 0)
    finally:
        os.close(below)
