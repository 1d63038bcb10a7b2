"""Follows a program that replaces itself: `os.exec*` keeps the process id, so the capture goes on.

In: calls of `os.execv` and `os.execve` (the other `exec` functions of `os` end in these two).
Out: the same call, with the private environment that makes the new interpreter start the recorder and our
boot again.
Never: a changed `os.environ`, or a changed environment after an `exec` that failed.
"""

from __future__ import annotations

import os
import sys

from nilometer import _native
from nilometer.hooks.wrapping import forget_frame, replace

# Variables of the program's own that ours go in front of.
_SHARED = ("PYTHONPATH", "LD_PRELOAD")

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def install(
    template: str,
    boot: str,
    preload: str | None,
    settings: str | None,
    forks: str | None = None,
    own: str | None = None,
) -> None:
    """Wraps `os.execv` and `os.execve` for this process; children that are forked from it are left alone."""
    process = os.getpid()

    def private(program: object, before: dict[str, str | None]) -> dict[str, str]:
        """Ours, for an environment in which the variables of `_SHARED` are these."""
        pythonpath, preloaded = (before.get(name) for name in _SHARED)
        added = {
            "PYTHONPATH": f"{boot}{os.pathsep}{pythonpath}" if pythonpath else boot,
            "_NILOMETER_CAPTURE": template,
            "_NILOMETER_PYTHONPATH": pythonpath or "",
            "_NILOMETER_PYTHONPATH_SET": "0" if pythonpath is None else "1",
        }
        if forks is not None:
            added["_NILOMETER_FORKS"] = forks
        if own is not None:
            added["_NILOMETER_OWN"] = own
        if preload is None or settings is None:
            return added
        if _is_this_python(program):
            plain = settings.partition(",preload=")[0]
            added["LD_PRELOAD"] = f"{preload}:{preloaded}" if preloaded else preload
            added["_NILOMETER_PRELOAD"] = preload
            added["_NILOMETER_RECORDER"] = plain if preloaded is None else f"{plain},preload={preloaded}"
        elif isinstance(program, (str, bytes)) and os.path.exists(program):
            _say_lost()
        return added

    def execv(original: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            if os.getpid() != process:
                return original(*args, **kwargs)
            # The C environment only: os.environ is the program's, and is not read by this call.
            added = private(_program(args, kwargs), {name: os.environ.get(name) for name in _SHARED})
            for name, value in added.items():
                os.putenv(name, value)
            try:
                return original(*args, **kwargs)
            except BaseException as error:
                forget_frame(error)
                raise
            finally:
                for name in added:
                    before = os.environ.get(name)
                    if before is None:
                        os.unsetenv(name)
                    else:
                        os.putenv(name, before)

        return call

    def execve(original: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            try:
                if os.getpid() == process:
                    args, kwargs = _with_private(args, kwargs, private)
                return original(*args, **kwargs)
            except BaseException as error:
                forget_frame(error)
                raise

        return call

    by_descriptor = os.execve in os.supports_fd
    replace(os, "execv", execv)
    replace(os, "execve", execve)
    if by_descriptor:  # what a program asks before it hands over a descriptor instead of a path
        os.supports_fd.add(os.execve)


def _with_private(
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    private: Callable[[object, dict[str, str | None]], dict[str, str]],
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of `execve` with the private variables in a copy of the environment that it was given."""
    given = kwargs.get("env") if "env" in kwargs else (args[2] if len(args) > 2 else None)
    try:
        copy = dict(given)  # type: ignore[arg-type]
        before: dict[str, str | None] = {}
        for name in _SHARED:
            value = copy.get(name, copy.get(name.encode()))
            before[name] = None if value is None else os.fsdecode(value)
        added = private(_program(args, kwargs), before)
        for name in added:
            copy.pop(name.encode(), None)
        copy.update(added)
    except Exception:
        return args, kwargs  # not an environment: the call itself will say so, in its own words
    if "env" in kwargs:
        return args, {**kwargs, "env": copy}
    return (*args[:2], copy, *args[3:]), kwargs


def _program(args: tuple[Any, ...], kwargs: dict[str, Any]) -> object:
    return args[0] if args else kwargs.get("path")


def _is_this_python(program: object) -> bool:
    """Whether the file is this interpreter: of another program nobody knows if it can take the recorder."""
    try:
        return os.path.samefile(program, sys.executable)  # type: ignore[arg-type]
    except Exception:
        return False


def _say_lost() -> None:
    try:
        from nilometer import _words

        _native.lost(_words.NO_MORE_SAMPLES)
    except Exception:
        # Too many files may be open; the call of the program must go on.
        pass
