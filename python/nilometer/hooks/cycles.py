"""Makers of wrappers around functions of frameworks whose end is the end of a cycle.

In: a unit, and where only the outermost call counts a scope. Out: one cycle per call that counts.
Never: a second cycle for a call that a framework makes inside a call which counts already.
"""

from __future__ import annotations

from nilometer.hooks import marks, probes
from nilometer.hooks.marks import thread
from nilometer.hooks.wrapping import forget_frame, wrap_then

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# How often an optimizer stepped in a loop of the program's own: by it a pass is told from an epoch.
updates = 0


def update() -> None:
    """An optimizer has stepped. Inside of a framework's call the step is part of that call."""
    global updates
    if not thread.scope:
        updates += 1
        probes.cycle(marks.UPDATE)


def wrap_each(unit: int) -> Callable[[Any], Any]:
    """A maker of wrappers around a function whose every call is a cycle, also one that an exception ends."""
    cycle = probes.cycle
    return wrap_then(lambda *_args, **_kwargs: cycle(unit))


def wrap_outermost(
    unit: int, scope: str, see: Callable[[tuple[Any, ...]], object] | None = None
) -> Callable[[Any], Any]:
    """A maker of wrappers around a function whose call is a cycle where it is made outside of any scope.

    `see` gets the arguments of such a call, before it is made.
    """
    cycle = probes.cycle

    def make(original: Any) -> Any:
        def call(*args: Any, **kwargs: Any) -> Any:
            if thread.scope:
                try:
                    return original(*args, **kwargs)
                except BaseException as error:
                    forget_frame(error)
                    raise
            thread.scope = scope
            if see is not None:
                see(args)
            try:
                return original(*args, **kwargs)
            except BaseException as error:
                forget_frame(error)
                raise
            finally:
                thread.scope = ""
                cycle(unit)

        return call

    return make
