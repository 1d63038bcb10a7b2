"""The places in Keras that others change, for Keras 3 and for Keras 2 under both of its names.

In: a change, of an intervention, the guard or a plan. Out: the change made to every call of `fit`, every
list of callbacks, every `compile`.
Never: a look at a module that has not been imported.
"""

from __future__ import annotations

from nilometer import _native
from nilometer.hooks.wrapping import replace
from nilometer.interventions._imports import after_import

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any

TRAINERS = {
    "keras.src.backend.tensorflow.trainer": "TensorFlowTrainer",
    "keras.src.backend.jax.trainer": "JAXTrainer",
    "keras.src.backend.torch.trainer": "TorchTrainer",
    "keras.src.engine.training": "Model",
    "tf_keras.src.engine.training": "Model",
}
_LISTS = ("keras.src.callbacks.callback_list", "keras.src.callbacks", "tf_keras.src.callbacks")
_COMPILES = {
    "keras.src.trainers.trainer": "Trainer",
    "keras.src.engine.training": "Model",
    "tf_keras.src.engine.training": "Model",
}


def on_callback_list(change: Callable[[Any], None]) -> None:
    """Does `change(CallbackList)` in every Keras that is imported."""

    def action(module: ModuleType) -> None:
        # Where Keras 2 has this module Keras 3 has a package, which has the class from elsewhere.
        found = vars(module).get("CallbackList")
        if found is not None and found.__module__ == module.__name__:
            change(found)

    for name in _LISTS:
        after_import(name, action)


def on_fit(change: Callable[[Any, dict[str, Any]], None]) -> None:
    """Does `change(model, arguments)` before every `fit`; it may change the arguments, which are by name."""
    _on_method(TRAINERS, "fit", change)


def on_method(name: str, change: Callable[[Any, dict[str, Any]], None]) -> None:
    """Does `change(model, arguments)` before every call of the method of this name that trainers have."""
    _on_method(TRAINERS, name, change)


def on_compile(change: Callable[[Any, dict[str, Any]], None]) -> None:
    """Does `change(model, arguments)` before every `compile`."""
    _on_method(_COMPILES, "compile", change)


def _on_method(owners: dict[str, str], method: str, change: Callable[[Any, dict[str, Any]], None]) -> None:
    def make(original: Any) -> Any:
        import inspect

        signature = inspect.signature(original)

        def call(self: Any, /, *args: Any, **kwargs: Any) -> Any:
            try:
                bound = signature.bind(self, *args, **kwargs)
                change(self, bound.arguments)
            except Exception as error:
                _native.lost(f"{change.__module__}: {type(error).__name__}: {error}")
                return original(self, *args, **kwargs)
            return original(*bound.args, **bound.kwargs)

        return call

    def action(owner: str) -> Callable[[ModuleType], None]:
        return lambda module: void(replace(getattr(module, owner), method, make))

    for name, owner in owners.items():
        after_import(name, action(owner))


def void(_: object) -> None:
    """Takes a result and gives none."""
