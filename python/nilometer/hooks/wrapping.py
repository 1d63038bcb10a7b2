"""Puts a wrapper in place of a function, so that nobody can tell: same metadata, same tracebacks.

In: an owner (module or class), a name, and a maker of wrappers. Out: the owner changed, or a loss counted.
Never: an exception, or a reference to what the wrapped function was called with.
"""

from __future__ import annotations

from nilometer import _native

TYPE_CHECKING = False  # `typing` itself would be the largest import of the boot
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# Every wrapper that was put: its owner, its name there, what stood there before, and what stands there now.
_placed: list[tuple[Any, str, Any, Any]] = []

_METADATA = ("__module__", "__name__", "__qualname__", "__doc__", "__annotations__")


def replace(owner: Any, name: str, make: Callable[[Any], Any], needed: bool = True) -> bool:
    """Puts `make(original)` in place of `owner.name`. False where there is none, and if needed a loss.

    Only what the owner defines itself is replaced: an inherited method is its parent's to wrap.
    """
    found = vars(owner).get(name)
    original = found.__func__ if isinstance(found, staticmethod) else found
    if not callable(original):
        if needed:
            from nilometer.hooks import words

            _native.lost(words.no_function(getattr(owner, "__name__", owner), name))
        return False
    wrapper = make(original)
    for attribute in _METADATA:
        if hasattr(original, attribute):
            setattr(wrapper, attribute, getattr(original, attribute))
    vars(wrapper).update(getattr(original, "__dict__", {}))
    wrapper.__wrapped__ = original
    placed = staticmethod(wrapper) if isinstance(found, staticmethod) else wrapper
    setattr(owner, name, placed)
    _placed.append((owner, name, found, placed))
    return True


def take_out() -> None:
    """Puts every original back, unless the program has put something else there since."""
    for owner, name, found, placed in reversed(_placed):
        if vars(owner).get(name) is placed:
            setattr(owner, name, found)


def put_back() -> None:
    """Puts every wrapper in place again that `take_out` took out."""
    for owner, name, found, placed in _placed:
        if vars(owner).get(name) is found:
            setattr(owner, name, placed)


def wrap_then(after: Callable[..., object]) -> Callable[[Any], Any]:
    """A maker of wrappers that call `after` with a call's arguments when it ends, also by an exception."""

    def make(original: Any) -> Any:
        def call(*args: Any, **kwargs: Any) -> Any:
            try:
                return original(*args, **kwargs)
            except BaseException as error:
                forget_frame(error)
                raise
            finally:
                after(*args, **kwargs)

        return call

    return make


def wrap_async_then(after: Callable[..., object]) -> Callable[[Any], Any]:
    """The same for a coroutine function, whose call ends when it was awaited."""

    def make(original: Any) -> Any:
        async def call(*args: Any, **kwargs: Any) -> Any:
            try:
                return await original(*args, **kwargs)
            except BaseException as error:
                forget_frame(error)
                raise
            finally:
                after(*args, **kwargs)

        return call

    return make


def forget_frame(error: BaseException) -> None:
    """Takes the frame of the calling wrapper out of the traceback of the exception that passes through it.

    To be called first thing in the handler, which must end with a bare `raise`: from Python 3.11 on that
    adds no frame, and the program's traceback is the one it would have had. Python 3.10 puts the one frame
    back.
    """
    trace = error.__traceback__
    if trace is not None:
        # Not by assignment: an exception class may forbid it (a frozen dataclass does).
        BaseException.with_traceback(error, trace.tb_next)
