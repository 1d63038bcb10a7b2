"""The recurrent layers of a model that keep their state between batches, and what that state is.

In: a model of Keras 3 that trains with TensorFlow, or a layer. Out: its stateful layers; whether one's state
is its own; a number that tells a state from others.
Never: a property, a call or a comparison of the program's own classes; a word about what is not understood.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_RNN = "keras.src.layers.rnn.rnn"
_TRAINER = "keras.src.backend.tensorflow.trainer"
_CONTEXT = "tensorflow.python.eager.context"
# So many layers of a model are looked at, and so many stateful ones are followed.
_MAX_LAYERS = 300
_MAX_STATEFUL = 4
# A variable of a strategy with several devices has other types.
_VARIABLES = frozenset(("ResourceVariable", "UninitializedVariable", "UnliftedInitializerVariable"))


def find(model: Any) -> list[Any]:
    """The layers that keep their state, also those of models and wrappers inside."""
    found: list[Any] = []
    module = sys.modules.get(_RNN)
    if module is None:
        return found
    rnn = vars(module)["RNN"]
    seen: set[int] = set()
    waiting = [model]
    # What is in an object, without a word of its class'.
    look = object.__getattribute__
    while waiting and len(seen) < _MAX_LAYERS and len(found) < _MAX_STATEFUL:
        layer = waiting.pop()
        if id(layer) in seen:
            continue
        seen.add(id(layer))
        known = look(layer, "__dict__")
        if known.get("stateful") is True and issubclass(type(layer), rnn):
            found.append(layer)
        inner = known.get("_layers")
        if inner and isinstance(inner, list):
            # The last one is popped first.
            waiting += list.__reversed__(inner)
    return found


def trains_as_keras(model: Any) -> bool:
    """Whether the step is Keras' own: one of the program's may set states as it likes."""
    for name in ("train_step", "make_train_function"):
        owner = next((kind for kind in type(model).__mro__ if name in vars(kind)), None)
        if owner is None or owner.__module__ != _TRAINER:
            return False
    return True


def keeps_its_own(layer: Any) -> bool:
    """Whether it has a state by now, with which each batch begins."""
    known = vars(layer)
    shapes = known.get("_build_shapes_dict")
    # Given with each call, the first state of a batch is the program's. TensorFlow wraps the dictionary.
    given = not isinstance(shapes, dict) or shapes.get("initial_state_shape") is not None
    return known.get("states") is not None and not given


def state(layer: Any) -> int | None:
    """The state of a layer, as a number that another one does not have; None where it cannot be read."""
    first = None if layer is None else vars(layer).get("states")
    while isinstance(first, (list, tuple)):
        first = first[0] if first else None
    value: Any = None if first is None else vars(first).get("_value")
    if type(value).__name__ not in _VARIABLES or not is_eager():
        return None
    return hash(value.numpy().tobytes())


def is_eager() -> bool:
    """Whether what runs now runs at once, and is not being traced."""
    context = sys.modules.get(_CONTEXT)
    return context is not None and bool(vars(context)["executing_eagerly"]())
