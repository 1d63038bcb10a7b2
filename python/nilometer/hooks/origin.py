"""Whose function it is, behind everything that is wrapped around it, and whose line called it.

In: a callable, or a frame. Out: the program's own function, where it is defined, the line of the program.
Never: an attribute of an object that is not a plain function, method or partial: it could run the program's
code.
"""

from __future__ import annotations

import sys
from types import FunctionType, MethodType

from nilometer import _native
from nilometer.hooks import code

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any

_MAX_WRAPPERS = 32
# How many modules there were when it was last looked where frameworks lie.
_modules = 0


class Wrappers:
    """What Python itself wraps around a function. A framework with ways of its own has a kind of this."""

    @staticmethod
    def target(owner: Any) -> Any:
        """The object of a method, where a stand-in for it is put into the method."""
        return owner

    @staticmethod
    def wrapped(function: FunctionType) -> Any:
        """The function inside a wrapper, as `functools` leaves it there."""
        return vars(function).get("__wrapped__")

    @staticmethod
    def held(thing: Any) -> Any:
        """The function inside an object that can be called."""
        return None


def innermost(function: Any, look: type[Wrappers] = Wrappers) -> tuple[Any, Any]:
    """The function that was written by somebody, and for a method (or a callable object) its object."""
    owner = None
    for _ in range(_MAX_WRAPPERS):
        kind = type(function)
        if kind is MethodType:
            owner = look.target(function.__self__)
            function = function.__func__
            continue
        inner = look.wrapped(function) if kind is FunctionType else _held(function, look)
        if inner is None:
            break
        function = inner
    if type(function) is not FunctionType:
        call = next(
            (vars(base)["__call__"] for base in type(function).__mro__ if "__call__" in vars(base)), None
        )
        if type(call) is FunctionType:
            return call, function
    return function, owner


def place_of(function: Any, name: str) -> tuple[str, int, str]:
    """File, first line and qualified name; of what was not written in Python only a name."""
    if type(function) is not FunctionType:
        return "", 0, name
    code = function.__code__
    return code.co_filename, code.co_firstlineno, function.__qualname__


def user_line(frame: FrameType | None) -> tuple[str, int]:
    """The innermost line of the program's own code on the stack."""
    while frame is not None:
        file = frame.f_code.co_filename
        if is_users(file):
            return file, frame.f_lineno or 0
        frame = frame.f_back
    return "", 0


def is_users(file: str) -> bool:
    """Whether a file is the program's own, by the one rule; first it is looked what was imported since."""
    global _modules
    if len(sys.modules) != _modules:
        _modules = len(sys.modules)
        code.look()
    return _native.is_users(file)


def _held(thing: Any, look: type[Wrappers]) -> Any:
    kind = type(thing)
    if kind.__name__ == "partial" and kind.__module__ == "functools":
        return thing.func
    return look.held(thing)
