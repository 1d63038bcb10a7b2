"""Starts the recording inside the program's process, before the program's own code.

In: the path of the capture this process is to write to. Out: the native part running, and everything that
must happen later (fork, exec, exit, the import of a framework) arranged.
Never: an exception into the program, or an import that the program would notice. A program that runs already
is recorded by `_late`.
"""

from __future__ import annotations

import os
import sys

from nilometer import _ending, _hooking, _native, _reexec


def activate(
    template: str,
    boot: str,
    run: str | None = None,
    preload: str | None = None,
    settings: str | None = None,
    forks: str | None = None,
    own: str | None = None,
) -> None:
    """Joins the capture and installs the hooks; where the capture cannot be joined, nothing is installed.

    `template` is the capture's path with `{pid}` for the process id, `boot` the folder of our
    `sitecustomize`, `preload` and `settings` the recorder as `LD_PRELOAD` names it and what it was told: all
    are handed on when the program replaces itself by `exec`. `run` is the number of the run if all children
    are recorded too. `forks` is that number and the template of children, if forked ones are to record
    themselves. `own` names installed packages that are the user's own.
    """
    if not _join(template, run):
        return
    _native.fact("python.version", ".".join(map(str, sys.version_info[:3])))
    # First of all exit handlers, so that it runs after the program's own.
    _ending.register()
    if run is None:
        after_in_child = _wait if _follows(forks) else _leave
        _reexec.install(template, boot, preload, settings, forks, own)
    else:
        _native.fact("command", _command())

        # A program that replaces itself needs no help: the new one inherits everything, as all children do.
        def after_in_child() -> None:
            _native.after_fork_child()
            if not _join(template, run):
                _ending.forget()

    os.register_at_fork(
        before=_native.before_fork, after_in_parent=_native.after_fork_parent, after_in_child=after_in_child
    )
    _hooking.hook(_path(template), own or "")


def _join(template: str, run: str | None) -> bool:
    """Joins the capture of this process; as a child of the program, makes it if need be."""
    capture = _path(template)
    return _native.start(capture) if run is None else _native.start_child(capture, run)


def _path(template: str) -> str:
    return template.replace("{pid}", str(os.getpid()))


def _command() -> str:
    """What a child is for, where neither its parent says so nor the supervisor sees it in time."""
    return " ".join(sys.orig_argv[1:])[:200]


def _follows(forks: str | None) -> bool:
    if forks is None:
        return False
    run, _, template = forks.partition(":")
    return _native.follow_forks(template, run, _command())


def _wait() -> None:
    """After a fork, in the child: it may live long enough to be recorded."""
    _native.after_fork_child()
    # Between a fork and an exec runs the program's `preexec_fn`: that process is about to be another one.
    caller = sys._getframe().f_back
    if caller is not None and caller.f_globals.get("__name__") != "subprocess":
        _native.wait_after_fork()


def _leave() -> None:
    """After a fork, in the child: the recording is the parent's."""
    _ending.forget()
    _native.after_fork_child()
