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
_DATA_FUNCTIONS = "/data/ops/structured_function.py"
# How many modules there were when it was last looked where frameworks lie.
_modules = 0


def innermost(function: Any) -> tuple[Any, Any]:
    """The function that was written by somebody, and for a method (or a callable object) its object."""
    owner = None
    for _ in range(_MAX_WRAPPERS):
        kind = type(function)
        if kind is MethodType:
            owner = _target(function.__self__)
            function = function.__func__
            continue
        inner = _wrapped(function) if kind is FunctionType else _held(function)
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


def _target(owner: Any) -> Any:
    """The object itself where TensorFlow puts a stand-in for it into a method."""
    if type(owner).__name__ == "TfMethodTarget":
        target = owner.weakrefself_target__()
        return owner if target is None else target
    return owner


def _wrapped(function: FunctionType) -> Any:
    """The function inside a wrapper, as TensorFlow and `functools` leave it there."""
    known = vars(function)
    # AutoGraph puts its translation into `__wrapped__`; TensorFlow remembers what was there at first.
    for name in ("__original_wrapped__", "__wrapped__"):
        if name in known:
            return known[name]
    if function.__code__.co_filename.endswith(_DATA_FUNCTIONS):
        return _of_data(function)
    return None


def _held(thing: Any) -> Any:
    kind = type(thing)
    if kind.__name__ == "partial" and kind.__module__ == "functools":
        return thing.func
    if kind.__name__ == "Function" and kind.__module__.startswith("tensorflow."):
        return vars(thing).get("_python_function")
    return None


def _of_data(function: FunctionType) -> Any:
    """What was given to `Dataset.map` and its kin: two closures away from the function that is traced."""
    helper = _free(function, "wrapper_helper")
    wrapper = _free(helper, "self") if type(helper) is FunctionType else None
    return vars(wrapper).get("_func") if wrapper is not None else None


def _free(function: FunctionType, name: str) -> Any:
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=False))
    try:
        return cells[name].cell_contents
    except (KeyError, ValueError):
        return None
