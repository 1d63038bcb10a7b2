"""What TensorFlow keeps in registries of its own, as counts.

In: modules of TensorFlow. Out: rows of the counts that are read at the end of cycles.
Never: what a registry holds, beyond how much of it there is.
"""

from __future__ import annotations

from nilometer.hooks import probes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def add_all() -> None:
    """Adds the counts."""
    probes.add("gradient_registry", "tensorflow.python.framework.ops", _gradients)
    probes.add("functions", f"{_EAGER}.atomic_function", _functions)
    probes.add("py_functions", "tensorflow.python.ops.script_ops", _py_functions)
    probes.add("eager_switches", f"{_EAGER}.eager_function_run", _eager_switches)


_EAGER = "tensorflow.python.eager.polymorphic_function"


def _gradients(ops: dict[str, Any]) -> int:
    return len(ops["gradient_registry"]._registry)


def _functions(atomic: dict[str, Any]) -> int:
    return len(atomic["RUNTIME_FUNCTION_REFS"])


def _py_functions(script_ops: dict[str, Any]) -> int:
    return len(script_ops["_py_funcs"]._funcs)


_was_eager = False
_switches = 0


def _eager_switches(run: dict[str, Any]) -> int:
    # What Keras traced is made anew after each switch. One that is undone before the next look is not seen.
    global _switches, _was_eager
    if bool(run["RUN_FUNCTIONS_EAGERLY"]) != _was_eager:
        _was_eager = not _was_eager
        _switches += 1
    return _switches
