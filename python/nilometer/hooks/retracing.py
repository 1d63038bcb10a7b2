"""Which function TensorFlow traces, how often, from which line of the program, and why once more.

In: what the tracing compiler was called with. Out: one record per trace that a call of the program made.
Never: work for a call that does not trace, a reference that keeps a function or an object alive, or a word
about a trace inside another one, which is a part of it.
"""

from __future__ import annotations

import sys
from _weakref import ref
from time import monotonic

from nilometer import _native
from nilometer.hooks.difference import difference, of_methods
from nilometer.hooks.origin import innermost, place_of, user_line
from nilometer.hooks.signature import Parts, parts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Functions that are remembered; a program with more of them has each traced a few times.
_MAX_FUNCTIONS = 2048
# A function's first traces are all told, later ones at most one in this many seconds.
_ALWAYS = 256
_INTERVAL = 1.0
_NEW_FUNCTION = "a new function object each time"
_NEW_LAMBDA = "a new lambda each time"
_NEW_OBJECT = "a method of a new object each time"
_NEW_WRAPPER = "wrapped by tf.function anew each time"
_ELSEWHERE = "the same arguments in another context: a device, strategy or graph"


class _Known:
    """What the trace before was of; objects only by weak references."""

    __slots__ = ("function", "nth", "owner", "parts", "scope", "told", "wrapper")

    def __init__(self) -> None:
        self.nth = 0
        self.parts: Parts = {}
        self.function: Any = None
        self.owner: Any = None
        self.wrapper: Any = None
        self.scope = ""
        self.told = 0.0


_known: dict[tuple[str, int, str], _Known] = {}
_full = False


def tell(args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Says that a function is traced; `args` and `kwargs` are those of `_create_concrete_function`."""
    try:
        _tell((*args, *kwargs.values()))
    except Exception as error:
        _native.lost(f"why a function was traced: {type(error).__name__}")


def _tell(given: tuple[Any, ...]) -> None:
    global _full
    # By what they have, not by where they stand: the order is the framework's own business.
    options = next(value for value in given if hasattr(value, "python_function"))
    kind = next(value for value in given if hasattr(value, "parameters"))
    function, owner = innermost(options.python_function)
    file, line, name = place_of(function, str(options.name))
    known = _known.get((file, line, name))
    if known is None:
        if len(_known) >= _MAX_FUNCTIONS:
            if not _full:
                _full = True
                _native.lost(f"more than {_MAX_FUNCTIONS} functions were traced: later ones are not told")
            return
        known = _known[file, line, name] = _Known()
    now = parts(kind.parameters)
    scope = str(getattr(options, "scope_type", ""))
    wrapper = _wrapper(options)
    same = known.wrapper is not None and known.wrapper() is wrapper
    known.nth += 1
    # The first call of a function traces it twice where it may make variables: that is one reason, not two.
    twice = same and scope != known.scope and now == known.parts
    why = "" if known.nth == 1 else _why(known, now, function, owner, same)
    known.parts, known.scope = now, scope
    known.wrapper, known.function, known.owner = _weak(wrapper), _weak(function), _weak(owner)
    at = monotonic()
    if not twice and (known.nth <= _ALWAYS or at - known.told >= _INTERVAL):
        known.told = at
        _native.trace(name, (file, line), known.nth, why, user_line(sys._getframe(3)))


def _why(known: _Known, now: Parts, function: Any, owner: Any, same: bool) -> str:
    if same:
        return difference(now, known.parts) or of_methods(now) or _ELSEWHERE
    if known.function is None or known.function() is not function:
        return _NEW_LAMBDA if getattr(function, "__name__", "") == "<lambda>" else _NEW_FUNCTION
    if owner is not None and (known.owner is None or known.owner() is not owner):
        return _NEW_OBJECT
    return _NEW_WRAPPER


def _wrapper(options: Any) -> Any:
    """Something that belongs to one `tf.function` alone and lives as long as it."""
    for name in ("function_captures", "lock"):
        found = getattr(options, name, None)
        if found is not None and _weak(found) is not None:
            return found
    return options


def _weak(thing: Any) -> Any:
    try:
        return None if thing is None else ref(thing)
    except TypeError:
        return None
