"""What is wrapped in Keras 3: package `keras` from 3.0 on, for every backend.

In: one module of Keras that was just imported. Out: its functions wrapped.
Never: a look at a module that has not been imported.
"""

from __future__ import annotations

from nilometer.frameworks.keras.hooks import callbacks, data, layers, models, stateful, trainers
from nilometer.frameworks.keras.probes import add_state
from nilometer.hooks.wrapping import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType


def install(name: str, module: ModuleType) -> None:
    """Wraps what `module`, imported as `name`, has for us."""
    kind = name.removeprefix("keras.src.")
    if kind == "callbacks.callback_list":
        callbacks.install(module.CallbackList)
    elif kind == "trainers.epoch_iterator":
        replace(module.EpochIterator, "__init__", data.wrap_adapter)
    elif kind == "trainers.trainer":
        replace(module.Trainer, "_symbolic_build", models.wrap_build(models.always), needed=False)
        replace(module.Trainer, "compile", models.count_compiles)
    elif kind == "layers.layer":
        replace(module.Layer, "_maybe_build", models.wrap_build(models.is_unbuilt))
        replace(module.Layer, "__call__", layers.wrap_call)
    elif kind == "layers.rnn.rnn":
        replace(module.RNN, "reset_state", stateful.count_resets)
    elif kind == "models.model":
        models.install_model(module.Model)
    elif kind == "models.sequential":
        models.remember_code(module.Sequential.build)
        replace(module.Sequential, "_maybe_rebuild", models.wrap_build(models.always))
    elif kind == "optimizers.base_optimizer":
        replace(module.BaseOptimizer, "apply", trainers.count_updates)
    elif kind == "backend.common.global_state":
        replace(module, "clear_session", models.count_clear_session)
        add_state()
    elif kind == "backend.tensorflow.trainer":
        trainers.install(module.TensorFlowTrainer)
        # Its constructor makes the data pipeline after the common one has run.
        replace(module.TFEpochIterator, "__init__", data.wrap_adapter)
    elif kind == "backend.jax.trainer":
        trainers.install(module.JAXTrainer)
    elif kind == "backend.torch.trainer":
        trainers.install(module.TorchTrainer)
