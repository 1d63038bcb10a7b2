"""What is wrapped in Keras 2: package `tf_keras`, and package `keras` up to 2.15, which is `tf.keras` there.

In: one module that was just imported. Out: its functions wrapped.
Never: a hook for Keras 3, which has packages where Keras 2 has modules of the same name.
"""

from __future__ import annotations

from nilometer.frameworks.keras.hooks import callbacks, data, layers, models, trainers
from nilometer.hooks.wrapping import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType


def install(name: str, module: ModuleType) -> None:
    """Wraps what `module`, imported as `name`, has for us."""
    if hasattr(module, "__path__"):
        return
    kind = name.split(".src.", 1)[1]
    if kind == "callbacks":
        callbacks.install(module.CallbackList)
    elif kind == "backend":
        replace(module, "clear_session", models.count_clear_session)
    elif kind == "optimizers.optimizer" and hasattr(module, "_BaseOptimizer"):
        # Keras 3 has a module of this name.
        replace(module._BaseOptimizer, "apply_gradients", trainers.count_updates)
    elif kind == "engine.data_adapter":
        replace(module.DataHandler, "__init__", data.wrap_adapter)
    elif kind == "engine.base_layer":
        replace(module.Layer, "_maybe_build", models.wrap_build(models.is_unbuilt))
        replace(module.Layer, "__call__", layers.wrap_call)
    elif kind == "engine.training":
        trainers.install(module.Model)
        models.install_model(module.Model)
        replace(module.Model, "compile", models.count_compiles)
