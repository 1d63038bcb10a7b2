"""Calls and making of `tf.function`s.

In: a change. Out: the change made to the arguments of every call, or of the making, of a `tf.function`.
Never: a call inside a trace changed: its arguments are part of the graph.
"""

from __future__ import annotations

from nilometer.hooks.wrapping import replace
from nilometer.interventions._imports import after_import

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any

_MODULE = "tensorflow.python.eager.polymorphic_function.polymorphic_function"


def on_call(change: Callable[..., tuple[tuple[Any, ...], dict[str, Any]]]) -> None:
    """Does `args, kwargs = change(function, args, kwargs)` before every call from outside of a trace."""

    def action(module: ModuleType) -> None:
        import sys

        def make(original: Any) -> Any:
            def call(self: Any, /, *args: Any, **kwargs: Any) -> Any:
                context = sys.modules.get("tensorflow.python.eager.context")
                if context is not None and context.executing_eagerly():
                    args, kwargs = change(self, args, kwargs)
                return original(self, *args, **kwargs)

            return call

        replace(module.Function, "__call__", make)

    after_import(_MODULE, action)


def on_making(change: Callable[[dict[str, Any]], None]) -> None:
    """Does `change(kwargs)` with the options of every function that is made, by name."""

    def action(module: ModuleType) -> None:
        def make(original: Any) -> Any:
            def __init__(self: Any, /, *args: Any, **kwargs: Any) -> None:
                change(kwargs)
                original(self, *args, **kwargs)

            return __init__

        replace(module.Function, "__init__", make)

    after_import(_MODULE, action)
