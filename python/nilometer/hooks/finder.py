"""Installs the hooks of a module at the moment it has been imported.

In: every import of the program. Out: for the few modules in the table, their hooks, right after their code
ran and before anyone else sees them; and the `import` phase around the import of a framework.
Never: an import of its own, a changed loader or spec (the change is undone before the module's code runs),
or a cost worth naming for other modules (one dictionary look-up).
"""

from __future__ import annotations

import sys

from nilometer import _native
from nilometer.hooks import facts, marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Any

# The packages whose import is a phase.
FRAMEWORKS = ("tensorflow", "keras", "tf_keras", "jax", "torch")

# module -> file of this folder whose `install(name, module)` knows it. Read as text: nothing is imported for
# it.
_KERAS3 = "keras3"
_TF_KERAS = "tf_keras"
_TENSORFLOW = "tensorflow"
_TORCH = "torch"
_LIGHTNING = "lightning"
_SEARCHES = "searches"
ROWS: dict[str, str] = {
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
        f"{package}.src.{module}": _TF_KERAS
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
    "multiprocessing.process": "multiprocessing",
    "multiprocessing.pool": "multiprocessing",
    "concurrent.futures.process": "multiprocessing",
    "logging": "logs",
    "threading": "code_end",
    "torch.nn.modules.module": _TORCH,
    "torch.optim.optimizer": _TORCH,
    "torch.utils.data.dataloader": _TORCH,
    "jax._src.monitoring": "jax",
    **{
        f"{package}.{module}": _LIGHTNING
        for package in ("lightning.pytorch", "pytorch_lightning")
        for module in ("loops.fit_loop", "trainer.trainer")
    },
    "transformers.trainer": _LIGHTNING,
    "transformers.trainer_callback": _LIGHTNING,
    "optuna.study._optimize": _SEARCHES,
    "optuna.study.study": _SEARCHES,
    "keras_tuner.src.engine.base_tuner": _SEARCHES,
    "keras_tuner.engine.base_tuner": _SEARCHES,
    "sklearn.base": _SEARCHES,
    "gymnasium.core": "gymnasium",
    **dict.fromkeys(
        (
            "flask.app",
            "flask.ctx",
            "django.core.handlers.base",
            "django.core.handlers.wsgi",
            "django.core.handlers.asgi",
            "starlette.applications",
            "aiohttp.web_protocol",
            "tornado.web",
            "http.server",
            "grpc._server",
            "uvicorn.protocols.http.h11_impl",
            "uvicorn.protocols.http.httptools_impl",
            "gunicorn.workers.sync",
            "gunicorn.workers.gthread",
            "gunicorn.workers.base_async",
        ),
        "web",
    ),
    "celery.signals": "tasks",
    "rq.worker": "tasks",
    "rq.worker.base": "tasks",
    "rq.worker.worker_classes": "tasks",
    "IPython.core.interactiveshell": "notebook",
    "nbclient.client": "notebook",
}

# If the first module was imported, the hooks of the second must have been installed.
_NEEDED = (
    ("keras.src.callbacks.callback_list", "Keras"),
    ("tf_keras.src.callbacks", "tf_keras"),
    ("tensorflow.python.eager.context", "TensorFlow"),
)


class Finder:
    """Stands first in `sys.meta_path`, finds nothing itself, and marks the specs that others find."""

    def __init__(self) -> None:
        self.waiting: dict[str, str | None] = {**dict.fromkeys(FRAMEWORKS), **ROWS}

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec that the finders after this one give, or None for a module without hooks."""
        if name not in self.waiting:
            return None
        for finder in sys.meta_path:
            find = None if finder is self else getattr(finder, "find_spec", None)
            spec: ModuleSpec | None = None if find is None else find(name, path, target)
            if spec is not None:
                self._mark(name, spec.loader)
                return spec
        return None

    def _mark(self, name: str, loader: Any) -> None:
        original = getattr(loader, "exec_module", None)
        if original is None:
            return
        row = self.waiting[name]
        waiting = self.waiting
        outer = False

        def before() -> None:
            nonlocal outer
            # The loader is itself again before any code of the module can look at it.
            loader.__dict__.pop("exec_module", None)
            outer = row is None and _begin_import()

        def after(module: ModuleType, imported: bool) -> None:
            if outer:
                _end_import()
            if imported:
                waiting.pop(name, None)
                if row is not None:
                    _install(row, name, module)

        try:
            loader.exec_module = _native.Import(original, before, after)
        except Exception:
            from nilometer.hooks import words

            _native.lost(words.no_loader(name))


def _begin_import() -> bool:
    if any(name == "import" for name, _ in marks.thread.open):
        return False
    marks.begin("import")
    _native.importing(True)
    return True


def _end_import() -> None:
    _native.importing(False)
    marks.end("import")
    facts.say_versions()


def _install(row: str, name: str, module: ModuleType) -> None:
    try:
        install: Callable[[str, ModuleType], None]
        # Absolute and by name: a framework's hooks cost nothing to a program without it.
        install = __import__(f"nilometer.hooks.{row}", fromlist=["install"]).install
        install(name, module)
    except Exception as error:
        _native.lost(f"hooks of {name}: {type(error).__name__}")


_finder = Finder()


def install() -> None:
    """Puts the finder in place; hooks of modules that are imported already are installed at once."""
    for name, row in ROWS.items():
        module = sys.modules.get(name)
        if module is not None and name in _finder.waiting:
            _finder.waiting.pop(name)
            _install(row, name, module)
    sys.meta_path.insert(0, _finder)


def uninstall() -> None:
    """Takes the finder out; what it installed stays, and is not installed once more."""
    if _finder in sys.meta_path:
        sys.meta_path.remove(_finder)


def say_missed() -> None:
    """Says at exit which framework was imported past the finder (by an import hook that stood before it)."""
    for name, framework in _NEEDED:
        if name in sys.modules and name in _finder.waiting:
            from nilometer.hooks import words

            _native.lost(words.other_hook(framework))
