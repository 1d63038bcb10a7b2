"""Calls of Keras models and layers that a program makes itself, operation by operation.

In: `Layer.__call__` of any Keras. Out: one cycle per outermost call.
Never: a cycle for a call on symbolic tensors (a model is put together, or its shapes are asked), or a cost
for a layer inside a model beyond one look at the thread's state.
"""

from __future__ import annotations

import sys

from nilometer.hooks import marks, probes, shapes
from nilometer.hooks.marks import thread
from nilometer.hooks.wrapping import forget_frame

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# What stands for a tensor while a model is put together or a function is traced.
_SYMBOLIC = ("KerasTensor", "SymbolicTensor", "DynamicJaxprTracer")
_SCOPE = "keras.src.backend.common.symbolic_scope"


def wrap_call(original: Any) -> Any:
    """A wrapper of `Layer.__call__`."""
    cycle = probes.cycle
    see = shapes.see
    unit = marks.CALL

    def call(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        if thread.scope:
            try:
                return original(self, *args, **kwargs)
            except BaseException as error:
                forget_frame(error)
                raise
        # A symbolic call is a scope too: the layers in it are called on what the backend takes for symbols.
        thread.scope = "call"
        counts = not _is_symbolic(args, kwargs)
        if counts:
            see(args)
        try:
            return original(self, *args, **kwargs)
        except BaseException as error:
            forget_frame(error)
            raise
        finally:
            thread.scope = ""
            if counts:
                cycle(unit)

    return call


def _is_symbolic(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    try:
        if _is_symbol(args or kwargs):
            return True
        # On torch the shapes of a model are asked by tensors without data, of the ordinary class.
        module = sys.modules.get(_SCOPE)
        return module is not None and bool(module.in_symbolic_scope())
    except Exception:
        return True  # when in doubt see less


def _is_symbol(value: Any) -> bool:
    # The first of nested inputs tells for all: they are of one kind.
    for _ in range(8):
        if not isinstance(value, (tuple, list, dict)) or not value:
            break  # in this order: an array has no truth
        value = next(iter(value.values())) if isinstance(value, dict) else value[0]
    kind = type(value)
    name = kind.__name__
    if name == "Tensor":  # of a graph, in TensorFlow before 2.13
        return kind.__module__.startswith("tensorflow.")
    return name.endswith(_SYMBOLIC)
