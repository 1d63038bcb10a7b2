"""One shape for all calls: what is called with ever new shapes is called with those of its first call.

What: a `tf.function`, `predict` or a method as `train_on_batch` gets, where its arguments have other shapes
than in the first call, the arguments of the first call. Results are then not the program's.
How: the first arguments of each function, and of each method of each model, are kept.
Proves: the shapes are the cause: each new one is traced, and the libraries below keep something for each.
The change is to pad batches to one shape, or to a few.
"""

from __future__ import annotations

import weakref

from nilometer.frameworks.keras import places
from nilometer.frameworks.tensorflow.interventions import _functions
from nilometer.interventions import acted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_METHODS = ("predict", "train_on_batch", "test_on_batch", "predict_on_batch")
_first: weakref.WeakKeyDictionary[Any, dict[str, tuple[Any, Any]]] = weakref.WeakKeyDictionary()


def install(_: str) -> None:
    """Fixes shapes of functions and methods."""
    _functions.on_call(lambda function, args, kwargs: _same(function, "", (args, kwargs)))
    for method in _METHODS:
        places.on_method(method, _changer(method))


def _changer(method: str) -> Any:
    def change(model: Any, arguments: dict[str, Any]) -> None:
        data = {name: value for name, value in arguments.items() if name in ("x", "y", "sample_weight")}
        arguments.update(_same(model, method, data))

    return change


def _same(owner: Any, what: str, given: Any) -> Any:
    """What is `given`, or what was given the first time if that had other shapes."""
    known = _first.setdefault(owner, {})
    shapes = _shapes(given)
    if None in shapes:
        # Not ours to keep: what is alive because of us would be another change.
        return given
    if what not in known:
        known[what] = (shapes, given)
    elif known[what][0] != shapes:
        acted("fixed-shape")
        return known[what][1]
    return given


def _shapes(given: Any) -> list[Any]:
    """The shapes of all arrays and tensors in it; with a None for something else that may have one."""
    if isinstance(given, dict):
        return [shape for value in given.values() for shape in _shapes(value)]
    if isinstance(given, (list, tuple)):
        return [shape for value in given for shape in _shapes(value)]
    if given is None or isinstance(given, (bool, int, float, str)):
        return []
    shape = getattr(given, "shape", None)
    return [None if shape is None else tuple(shape)]
