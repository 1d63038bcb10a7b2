"""Starts the recording inside the program's process.

In: the capture this process is to write to. Out: the native part running, and everything that must happen
later (fork, exec, exit, the import of a framework) arranged.
Never: an exception into the program, or an import that the program would notice.
"""

from __future__ import annotations

import os
import sys

import nilometer
from nilometer import _ending, _native, _reexec
from nilometer.hooks import finder, marks


def activate(capture: str, template: str, boot: str) -> None:
    """Joins `capture` and installs the hooks; where the capture cannot be joined, nothing is installed.

    `template` is the capture's path with `{pid}` for the process id and `boot` the folder of our
    `sitecustomize`: both are handed on when the program replaces itself by `exec`.
    """
    if not _native.start(capture):
        return
    _native.fact("python.version", ".".join(map(str, sys.version_info[:3])))
    # First of all exit handlers, so that it runs after the program's own.
    _ending.register()
    os.register_at_fork(
        before=_native.before_fork,
        after_in_parent=_native.after_fork_parent,
        after_in_child=_after_fork_in_child,
    )
    _reexec.install(template, boot)
    finder.install()
    nilometer._mark_cycle = _native.cycle
    nilometer._mark_begin = marks.user_begin
    nilometer._mark_end = _native.phase_end


def _after_fork_in_child() -> None:
    _ending.forget()
    _native.after_fork_child()
