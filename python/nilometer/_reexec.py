"""Follows a program that replaces itself: `os.exec*` keeps the process id, so the capture goes on.

In: calls of `os.execv` and `os.execve` (the other `exec` functions of `os` end in these two).
Out: the same call, with the private environment that makes the new interpreter start our boot again.
Never: a changed `os.environ`, or a changed environment after an `exec` that failed.
"""

from __future__ import annotations

import os

from nilometer.hooks.wrapping import forget_frame, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def install(template: str, boot: str) -> None:
    """Wraps `os.execv` and `os.execve` for this process; children that are forked from it are left alone."""
    process = os.getpid()

    def private(pythonpath: str | None) -> dict[str, str]:
        return {
            "PYTHONPATH": f"{boot}{os.pathsep}{pythonpath}" if pythonpath else boot,
            "_NILOMETER_CAPTURE": template,
            "_NILOMETER_PYTHONPATH": pythonpath or "",
            "_NILOMETER_PYTHONPATH_SET": "0" if pythonpath is None else "1",
        }

    def execv(original: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            if os.getpid() != process:
                return original(*args, **kwargs)
            # The C environment only: os.environ is the program's, and is not read by this call.
            added = private(os.environ.get("PYTHONPATH"))
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

    replace(os, "execv", execv)
    replace(os, "execve", execve)


def _with_private(
    args: tuple[Any, ...], kwargs: dict[str, Any], private: Callable[[str | None], dict[str, str]]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of `execve` with the private variables in a copy of the environment that it was given."""
    given = kwargs.get("env") if "env" in kwargs else (args[2] if len(args) > 2 else None)
    try:
        copy = dict(given)  # type: ignore[arg-type]
        pythonpath = copy.pop(b"PYTHONPATH", None)
        pythonpath = copy.pop("PYTHONPATH", pythonpath)
        copy.update(private(None if pythonpath is None else os.fsdecode(pythonpath)))
    except Exception:
        return args, kwargs  # not an environment: the call itself will say so, in its own words
    if "env" in kwargs:
        return args, {**kwargs, "env": copy}
    return (*args[:2], copy, *args[3:]), kwargs
