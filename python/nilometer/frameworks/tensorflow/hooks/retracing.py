"""Which function TensorFlow traces, how often, from which line of the program, and why once more.

In: what the tracing compiler was called with. Out: one record per trace that a call of the program made.
Never: work for a call that does not trace, a reference that keeps a function or an object alive, or a word
about a trace inside another one, which is a part of it.
"""

from __future__ import annotations

import sys

from nilometer import _native
from nilometer.frameworks.tensorflow.hooks import words
from nilometer.frameworks.tensorflow.hooks.signature import parts
from nilometer.frameworks.tensorflow.hooks.wrappers import Wrappers
from nilometer.hooks.made_again import Functions, Known, weak
from nilometer.hooks.origin import innermost, place_of, user_line
from nilometer.hooks.words import no_reason

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from nilometer.hooks.parts import Parts

_functions = Functions("traced")


def tell(args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Says that a function is traced; `args` and `kwargs` are those of `_create_concrete_function`."""
    try:
        _tell((*args, *kwargs.values()))
    except Exception as error:
        _native.lost(no_reason("traced", error))


def _tell(given: tuple[Any, ...]) -> None:
    # By what they have, not by where they stand: the order is the framework's own business.
    options = next(value for value in given if hasattr(value, "python_function"))
    kind = next(value for value in given if hasattr(value, "parameters"))
    function, owner = innermost(options.python_function, Wrappers)
    file, line, name = place_of(function, str(options.name))
    known = _functions.of((file, line, name))
    if known is None:
        return
    now = parts(kind.parameters)
    scope = str(getattr(options, "scope_type", ""))
    wrapper = _wrapper(options)
    same = known.has_wrapper(wrapper)
    known.nth += 1
    # The first call of a function traces it twice where it may make variables: that is one reason, not two.
    twice = same and scope != known.scope and now == known.parts
    why = "" if known.nth == 1 else _why(known, now, function, owner, same)
    known.parts, known.scope = now, scope
    known.remember(function, owner, wrapper)
    if not twice and known.is_told():
        _native.trace(name, (file, line), known.nth, why, user_line(sys._getframe(3)))


def _why(known: Known, now: Parts, function: Any, owner: Any, same: bool) -> str:
    if not same:
        return known.another(function, owner) or words.WRAPPED
    # Most programs never ask.
    from nilometer.hooks.difference import difference, of_methods

    return difference(now, known.parts) or of_methods(now) or words.OTHER_CONTEXT


def _wrapper(options: Any) -> Any:
    """Something that belongs to one `tf.function` alone and lives as long as it."""
    for name in ("function_captures", "lock"):
        found = getattr(options, name, None)
        if found is not None and weak(found) is not None:
            return found
    return options
