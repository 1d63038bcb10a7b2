"""States of random numbers that the guard can find: Python's, numpy's, TensorFlow's and Keras' own.

In: a model. Out: plain values, and the states set from them.
Never: a generator that only the program knows (`numpy.random.default_rng()` in a variable): it cannot be
found, and docs/guard.md says so.
"""

from __future__ import annotations

import random
import sys

from nilometer import _native
from nilometer.guard import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


def get(model: Any) -> dict[str, Any]:
    """The states now."""
    states: dict[str, Any] = {"python": random.getstate()}
    if "numpy" in sys.modules:
        states["numpy"] = sys.modules["numpy"].random.get_state(legacy=False)
    try:
        operations = _of_operations()
        if operations is not None:
            states["tensorflow"] = operations.getstate()
        states["keras"] = [_to_numpy(generator.state) for generator in _generators(model)]
    except Exception as error:
        _native.lost(words.no_random_states(error))
    return states


def put(model: Any, states: dict[str, Any]) -> None:
    """Sets the states."""
    if "numpy" in states and "numpy" in sys.modules:
        sys.modules["numpy"].random.set_state(states["numpy"])
    operations = _of_operations()
    if operations is not None and "tensorflow" in states:
        operations.setstate(states["tensorflow"])
    for generator, state in zip(_generators(model), states.get("keras", ()), strict=False):
        generator.state.assign(state)
    # Last: what is above may draw from it.
    random.setstate(states["python"])


def _of_operations() -> Any:
    """The generator from which TensorFlow takes seeds of operations after `tf.random.set_seed`."""
    context = sys.modules.get("tensorflow.python.eager.context")
    return None if context is None else getattr(context.context(), "_rng", None)


def _generators(model: Any) -> Iterator[Any]:
    """Keras' seed generators: the global one, and those of the model's layers, in order."""
    state = sys.modules.get("keras.src.backend.common.global_state")
    shared = None if state is None else state.get_global_attribute("global_seed_generator")
    if shared is not None:
        yield shared
    flatten = getattr(model, "_flatten_layers", None)
    if flatten is None or state is None:
        return
    seen: set[int] = set()
    for layer in flatten():
        for generator in getattr(layer, "_seed_generators", ()):
            if id(generator) not in seen:
                seen.add(id(generator))
                yield generator


def _to_numpy(variable: Any) -> Any:
    return sys.modules["keras"].ops.convert_to_numpy(variable)
