"""Whether Keras and TensorFlow run operation by operation or as graphs.

In: which. Out: every `compile` and every `tf.function` so, whatever the program asks for.
Never: a model that JAX or torch compiles: this is about TensorFlow.
"""

from __future__ import annotations

from nilometer.frameworks.keras import places
from nilometer.hooks.wrapping import replace
from nilometer.interventions import acted
from nilometer.interventions._imports import after_import

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

MODULE = "tensorflow.python.eager.polymorphic_function.eager_function_run"


def set_to(eager: bool, intervention: str) -> None:
    """Makes it so."""

    def compiled(_: Any, arguments: dict[str, Any]) -> None:
        acted(intervention)
        arguments["run_eagerly"] = eager

    def change(module: ModuleType) -> None:
        def make(original: Any) -> Any:
            def run_functions_eagerly(*args: Any, **kwargs: Any) -> Any:
                acted(intervention)
                return original(eager)

            return run_functions_eagerly

        if eager:
            vars(module)["RUN_FUNCTIONS_EAGERLY"] = True
            acted(intervention)
        replace(module, "run_functions_eagerly", make)

    places.on_compile(compiled)
    after_import(MODULE, change)
