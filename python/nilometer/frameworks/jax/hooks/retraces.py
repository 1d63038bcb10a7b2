"""Which jitted function JAX compiles, how often, from which line of the program, and why once more.

In: the stack on which JAX says that it has compiled. Out: one record per compilation that a call of the
program made. Never: a word about a compilation inside another one, which is a part of it; a reference that
keeps a function or an array alive; code of the program's, as a pytree's own flattening is.
"""

from __future__ import annotations

from types import FunctionType, MethodType

from nilometer import _native
from nilometer.frameworks.jax.hooks import words
from nilometer.hooks.made_again import Functions, Known
from nilometer.hooks.origin import innermost, place_of, user_line
from nilometer.hooks.parts import GROUP, MAX_DEPTH, MAX_PARTS, NONE, OBJECT, SCALAR, SCALARS, TENSOR, text
from nilometer.hooks.parts import shape as text_of_shape
from nilometer.hooks.words import no_reason

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any

    from nilometer.hooks.parts import Part, Parts

# Where JAX goes when its cache of compiled calls has no answer: the frame has the function and its arguments.
_MISS = "cache_miss"
_FILE = "/jax/_src/pjit.py"

_functions = Functions("compiled")


def tell(frame: FrameType | None) -> None:
    """Says what was compiled; `frame` is one of the compilation."""
    try:
        miss = _miss(frame)
        if miss is not None and _miss(miss.f_back) is None:
            _tell(miss)
    except Exception as error:
        _native.lost(no_reason("compiled", error))


def _miss(frame: FrameType | None) -> FrameType | None:
    while frame is not None:
        code = frame.f_code
        if code.co_name == _MISS and code.co_filename.endswith(_FILE):
            return frame
        frame = frame.f_back
    return None


def _tell(miss: FrameType) -> None:
    seen = miss.f_locals
    wrapper = seen["fun"]
    function, owner = innermost(wrapper)
    file, line, name = place_of(function, str(getattr(function, "__name__", "")))
    known = _functions.of((file, line, name))
    if known is None:
        return
    now = _parts(function, seen["args"], seen["kwargs"], _static(seen.get("jit_info")), owner is not None)
    known.nth += 1
    why = "" if known.nth == 1 else _why(known, now, function, owner, wrapper)
    known.parts = now
    known.remember(function, owner, wrapper)
    if known.is_told():
        _native.trace(name, (file, line), known.nth, why, user_line(miss.f_back))


def _why(known: Known, now: Parts, function: Any, owner: Any, wrapper: Any) -> str:
    another = known.another(function, owner)
    if another:
        return another
    # A look at a bound method makes another object of it each time.
    if type(wrapper) is not MethodType and not known.has_wrapper(wrapper):
        return words.WRAPPED
    # Most programs never ask.
    from nilometer.hooks.difference import difference

    return difference(now, known.parts) or words.ALIKE


def _static(info: Any) -> tuple[frozenset[int], frozenset[str]]:
    """Which arguments a value is compiled for, by number and by name."""
    numbers, names = getattr(info, "static_argnums", ()), getattr(info, "static_argnames", ())
    return frozenset(numbers or ()), frozenset(names or ())


def _parts(
    function: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    static: tuple[frozenset[int], frozenset[str]],
    is_bound: bool,
) -> Parts:
    numbers, names = static
    called: tuple[str, ...] = ()
    if type(function) is FunctionType:
        code = function.__code__
        called = code.co_varnames[int(is_bound) : code.co_argcount]
    found: Parts = {}
    for number, value in enumerate(args):
        name = called[number] if number < len(called) else f"[{number}]"
        _walk(name, value, number in numbers or name in names, found, 0)
    for name, value in kwargs.items():
        _walk(name, value, name in names, found, 0)
    return found


def _walk(name: str, value: Any, is_static: bool, found: Parts, depth: int) -> None:
    if len(found) >= MAX_PARTS or depth > MAX_DEPTH:
        return
    kind = type(value)
    members: list[tuple[str, Any]] | None = None
    if kind in (tuple, list):
        members = [(f"[{index}]", member) for index, member in enumerate(value)]
    elif kind is dict:
        members = [(f"[{text(key)}]", member) for key, member in value.items()]
    if members is None:
        found[name] = _leaf(value, kind, is_static)
        return
    found[name] = (GROUP, kind.__name__, str(len(members)), " ".join(key for key, _ in members))
    for key, member in members:
        _walk(name + key, member, is_static, found, depth + 1)


def _leaf(value: Any, kind: type, is_static: bool) -> Part:
    if value is None:
        return (NONE,)
    if kind in SCALARS:
        # A number that is not static is an array to JAX, whatever its value.
        return (SCALAR, text(value), kind.__name__) if is_static else (TENSOR, "()", kind.__name__)
    if kind.__module__.partition(".")[0] in ("jax", "jaxlib", "numpy") and hasattr(value, "dtype"):
        weak = " (weak)" if getattr(value, "weak_type", False) else ""
        return (TENSOR, text_of_shape(value.shape), f"{value.dtype.name}{weak}")
    # An object with arrays inside is the same whichever it is; a static one is not.
    return (OBJECT, kind.__name__, str(id(value)) if is_static else "")
