"""What is known of frameworks: a folder for each, and the tables by which the core finds what is in them.

In: a name of the program's: a module, a package. Out: the file of ours that knows it, loaded when asked for.
Never: an import at interpreter start beyond this file, or a framework imported by us.

ARCHITECTURE.md says which files a folder may have. `trials` has the tables of what only `prove`, `plan`,
`guard` and `fix` ask for.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# The packages whose import is a phase, and whose versions are told.
IMPORTS = ("tensorflow", "keras", "tf_keras", "jax", "torch")

# module -> file whose `install(name, module)` knows it.
_KERAS3 = "frameworks.keras.hooks.keras3"
_KERAS2 = "frameworks.keras.hooks.keras2"
_TENSORFLOW = "frameworks.tensorflow.hooks"
_TORCH = "frameworks.torch.hooks"
_LIGHTNING = "frameworks.lightning.hooks"
_FLASK = "frameworks.flask.hooks"
_DJANGO = "frameworks.django.hooks"
_UVICORN = "frameworks.uvicorn.hooks"
_GUNICORN = "frameworks.gunicorn.hooks"
HOOKS: dict[str, str] = {
    "keras.src.callbacks.callback_list": _KERAS3,
    "keras.src.trainers.epoch_iterator": _KERAS3,
    "keras.src.trainers.trainer": _KERAS3,
    "keras.src.layers.layer": _KERAS3,
    "keras.src.layers.rnn.rnn": _KERAS3,
    "keras.src.models.model": _KERAS3,
    "keras.src.models.sequential": _KERAS3,
    "keras.src.optimizers.base_optimizer": _KERAS3,
    "keras.src.backend.common.global_state": _KERAS3,
    "keras.src.backend.tensorflow.trainer": _KERAS3,
    "keras.src.backend.jax.trainer": _KERAS3,
    "keras.src.backend.torch.trainer": _KERAS3,
    **{
        f"{package}.src.{module}": _KERAS2
        for package in ("keras", "tf_keras")
        for module in (
            "callbacks",
            "backend",
            "engine.base_layer",
            "engine.data_adapter",
            "engine.training",
            "optimizers.optimizer",
        )
    },
    "tensorflow.python.eager.context": _TENSORFLOW,
    "tensorflow.python.eager.polymorphic_function.tracing_compilation": _TENSORFLOW,
    "tensorflow.python.eager.polymorphic_function.polymorphic_function": _TENSORFLOW,
    "tensorflow.python.eager.polymorphic_function.concrete_function": _TENSORFLOW,
    **{
        f"tensorflow.python.{module}": _TENSORFLOW
        for module in (
            "framework.func_graph",
            "ops.resource_variable_ops",
            "data.ops.dataset_ops",
            "data.ops.iterator_ops",
            "eager.backprop",
        )
    },
    "tensorflow.python.client.session": _TENSORFLOW,
    "torch.nn.modules.module": _TORCH,
    "torch.optim.optimizer": _TORCH,
    "torch.utils.data.dataloader": _TORCH,
    "jax._src.monitoring": "frameworks.jax.hooks",
    **{
        f"{package}.{module}": _LIGHTNING
        for package in ("lightning.pytorch", "pytorch_lightning")
        for module in ("loops.fit_loop", "trainer.trainer")
    },
    "transformers.trainer": "frameworks.transformers.hooks",
    "transformers.trainer_callback": "frameworks.transformers.hooks",
    "optuna.study._optimize": "frameworks.optuna.hooks",
    "optuna.study.study": "frameworks.optuna.hooks",
    "keras_tuner.src.engine.base_tuner": "frameworks.keras_tuner.hooks",
    "keras_tuner.engine.base_tuner": "frameworks.keras_tuner.hooks",
    "sklearn.base": "frameworks.sklearn.hooks",
    "gymnasium.core": "frameworks.gymnasium.hooks",
    "flask.app": _FLASK,
    "flask.ctx": _FLASK,
    "django.core.handlers.base": _DJANGO,
    "django.core.handlers.wsgi": _DJANGO,
    "django.core.handlers.asgi": _DJANGO,
    "starlette.applications": "frameworks.starlette.hooks",
    "aiohttp.web_protocol": "frameworks.aiohttp.hooks",
    "tornado.web": "frameworks.tornado.hooks",
    "grpc._server": "frameworks.grpc.hooks",
    "grpc.aio._server": "frameworks.grpc.hooks",
    "uvicorn.protocols.http.h11_impl": _UVICORN,
    "uvicorn.protocols.http.httptools_impl": _UVICORN,
    "gunicorn.workers.sync": _GUNICORN,
    "gunicorn.workers.gthread": _GUNICORN,
    "gunicorn.workers.base_async": _GUNICORN,
    "celery.signals": "frameworks.celery.hooks",
    "rq.worker": "frameworks.rq.hooks",
    "rq.worker.base": "frameworks.rq.hooks",
    "rq.worker.worker_classes": "frameworks.rq.hooks",
}

# If the first module was imported, its hooks must have been installed; who is told as missed if not.
NEEDED = (
    ("keras.src.callbacks.callback_list", "Keras"),
    ("tf_keras.src.callbacks", "tf_keras"),
    ("tensorflow.python.eager.context", "TensorFlow"),
)

# A module, its variable with a text, and the fact that it is said as.
FACTS = (("keras.src.backend.config", "_BACKEND", "framework.keras.backend"),)

# A word in the name of the module that starts a process, how the name ends, and what the process is for.
LOADERS = (("keras", (".py_dataset_adapter", ".utils.data_utils"), "PyDataset worker"),)

# package -> file whose `weigh(value)` gives bytes of a value of it, or None.
_OF_KERAS = "frameworks.keras.weight"
_OF_JAX = "frameworks.jax.weight"
WEIGHTS = {
    "pandas": "frameworks.pandas.weight",
    "torch": "frameworks.torch.weight",
    "tensorflow": "frameworks.tensorflow.weight",
    "keras": _OF_KERAS,
    "tf_keras": _OF_KERAS,
    "jax": _OF_JAX,
    "jaxlib": _OF_JAX,
}


def load(file: str) -> Any:
    """The file of ours that a table names: `frameworks.torch.hooks`."""
    # Absolute and by name: what is known of a framework costs nothing to a program without it. Hooks that are
    # a folder have what is asked for: nothing is searched for.
    return __import__(f"nilometer.{file}", fromlist=["install"])
