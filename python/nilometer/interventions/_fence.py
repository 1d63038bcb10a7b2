"""Keeps the program's writing inside its scratch folder.

In: folders it may write to. Out: a process, and children, whose writes elsewhere are refused, by the
kernel where it has Landlock, else by Python as far as Python sees them; and the first paths that were
refused, as facts.
Never: reading refused, or a failure of ours: where there is no fence, a loss says so.
"""

from __future__ import annotations

import os
import sys

from nilometer import _native
from nilometer.interventions import _landlock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Devices and what a process says to the kernel about itself; the cache of compiled modules is not looked at.
_ALWAYS = ("/dev", "/proc")
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_EVENTS = frozenset(
    ("os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.truncate", "os.link", "os.symlink")
)
_TOLD = 5


def install(folders: list[str]) -> None:
    """Puts up the fence around `folders`."""
    allowed = [*(os.path.realpath(folder) for folder in folders), *_ALWAYS]
    refusal = ""
    if not _landlock.restrict(allowed):
        from nilometer.interventions import _words

        refusal = _words.OUTSIDE
        _native.fact("prove.fence", "python")
    inside = tuple(folder.rstrip("/") + "/" for folder in allowed)
    # What libraries keep for themselves there, they do without if they must.
    hidden = os.path.join(os.path.expanduser("~"), ".")
    told: set[str] = set()

    def look(path: Any) -> None:
        if isinstance(path, bytes):
            path = os.fsdecode(path)
        if not isinstance(path, str) or path.endswith((".pyc", "__pycache__")) or ".pyc." in path:
            return
        real = os.path.realpath(path)
        if (real + "/").startswith(inside):
            return
        if real not in told and len(told) < _TOLD and not real.startswith(hidden):
            told.add(real)
            _native.fact(f"prove.outside.{len(told)}", real)
        if refusal:
            raise PermissionError(13, refusal, path)

    def hear(event: str, given: tuple[Any, ...]) -> None:
        if event == "open":
            if isinstance(given[2], int) and given[2] & _WRITES:
                look(given[0])
        elif event in _EVENTS:
            for word in given[:2]:
                if isinstance(word, (str, bytes)):
                    look(word)

    sys.addaudithook(hear)
