"""What there would be to change in TensorFlow's pipelines and functions.

In: calls that the program makes of them. Out: facts: what pipelines do, and whether functions run eagerly.
Never: an argument changed.
"""

from __future__ import annotations

import sys

from nilometer.frameworks.tensorflow.interventions import _eagerness, plain_pipeline
from nilometer.hooks.wrapping import replace
from nilometer.interventions._imports import after_import

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any


def install(say: Callable[..., None]) -> None:
    """Looks from now on; `say(key)` states a fact."""
    after_import(plain_pipeline.MODULE, lambda module: _pipeline(module, say))
    after_import(_eagerness.MODULE, lambda module: _eager(module, say))


def _pipeline(module: ModuleType, say: Callable[..., None]) -> None:
    def maker(name: str) -> Any:
        def make(original: Any) -> Any:
            def method(self: Any, /, *args: Any, **kwargs: Any) -> Any:
                # Keras' own adapters call them too; that is not the program's pipeline.
                if "/keras/" not in sys._getframe(1).f_code.co_filename:
                    say(f"pipeline.{name}")
                return original(self, *args, **kwargs)

            return method

        return make

    for name in plain_pipeline.METHODS:
        replace(module.DatasetV2, name, maker(name))


def _eager(module: ModuleType, say: Callable[..., None]) -> None:
    def make(original: Any) -> Any:
        def run_functions_eagerly(run_eagerly: bool) -> Any:
            if run_eagerly:
                say("eager")
            return original(run_eagerly)

        return run_functions_eagerly

    replace(module, "run_functions_eagerly", make)
