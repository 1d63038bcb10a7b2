"""Puts everything into the program by which Nilometer hears of it, and takes it out again.

In: a recording that has begun, or ends. Out: hooks of what is imported and will be, of lines and loops, and
the marks that the program itself may set.
Never: a hook that is put twice, or one that does anything while nothing is recorded.
"""

from __future__ import annotations

import sys

import nilometer
from nilometer import _native
from nilometer.hooks import code, facts, finder, loops, marks, positions, wrapping

# The capture of the recording that runs; of the last one where none does.
capture = ""


def hook(of: str, own: str) -> None:
    """Puts the hooks in place for the recording into this capture; those of an earlier one come back.

    `own` names installed packages that are the user's own.
    """
    global capture
    capture = of
    code.begin(own)
    marks.stand("")  # a call that was interrupted may have left its scope
    wrapping.put_back()
    finder.install()
    _native.watch_printed()
    loops.install()
    positions.install()
    nilometer._mark_cycle = _first_cycle
    nilometer._mark_begin = marks.user_begin
    nilometer._mark_end = _native.phase_end
    nilometer._look = _native.census


def unhook() -> None:
    """Takes the hooks out. What a framework keeps in a list of its own stays there, and does nothing."""
    nilometer._mark_cycle = nilometer._mark_begin = nilometer._mark_end = nilometer._look = None
    loops.uninstall()
    finder.uninstall()
    wrapping.take_out()


def forget() -> None:
    """What was said to the recording that ended is to be said to the next one again."""
    from nilometer.hooks import probes

    for part in (facts, marks, probes, sys.modules.get("nilometer.hooks.notebook")):
        if part is not None:
            part.forget()


def _first_cycle(unit: int, of: str | None = None) -> None:
    """A cycle that the program marks itself; what is looked at then is loaded at the first one."""
    from nilometer.hooks import probes

    nilometer._mark_cycle = probes.cycle
    probes.cycle(unit, of)
