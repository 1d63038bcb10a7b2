"""Lets go of what a notebook keeps by itself: outputs, and the last traceback.

In: the shell, and what is to be freed. Out: what it is, and how many bytes; freed only where that was said.
Never: a name of the person's.
"""

from __future__ import annotations

import contextlib
import gc
import sys
from typing import Any

from nilometer.jupyter import names, who, words

_OUTPUT = "Out["
WHAT = ("Out", "tracebacks")


def rows(shell: Any, what: str) -> list[who.Row]:
    """What would be freed."""
    found = who.rows(shell)
    if what == "Out":
        return [row for row in found if row.what.startswith(_OUTPUT) or row.what.endswith(words.MORE_OUTPUTS)]
    return [row for row in found if row.what.endswith(words.OF_TRACEBACK)]


def free(shell: Any, what: str) -> None:
    """Frees it, in the notebook's own way."""
    if what == "Out":
        kept = {id(value) for value in names.outputs(shell.user_ns).values()}
        with contextlib.redirect_stdout(None):
            shell.run_line_magic("reset", "-f out")
        # The last three have names that it leaves in its table of hidden names.
        for space in (shell.user_ns, getattr(shell, "user_ns_hidden", {})):
            for name in ("_", "__", "___"):
                if id(space.get(name)) in kept:
                    space[name] = ""
    else:
        for name in ("last_exc", "last_value", "last_traceback", "last_type"):
            if hasattr(sys, name):
                delattr(sys, name)
        # What `%debug` would look at.
        with contextlib.suppress(Exception):
            shell.InteractiveTB.tb = None
    # An exception and its frames refer to each other.
    gc.collect()
