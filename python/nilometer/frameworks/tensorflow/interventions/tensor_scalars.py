"""Python numbers as tensors, in calls of `tf.function`.

What: a function that is called with another Python number each time is traced once, not each time.
How: numbers among the arguments of a `tf.function` become tensors before the call.
Proves: the function is traced anew for each number, and the traces stay. The change is
`tf.constant(number)`.
"""

from __future__ import annotations

import sys

from nilometer.frameworks.tensorflow.interventions import _functions
from nilometer.interventions import acted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def install(_: str) -> None:
    """Turns numbers into tensors."""
    _functions.on_call(_change)


def _change(_: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    return tuple(map(_tensor, args)), {name: _tensor(value) for name, value in kwargs.items()}


def _tensor(value: Any) -> Any:
    # Booleans choose between branches in Python: they are few, and a tensor could not be asked.
    if type(value) in (int, float):
        tf = sys.modules.get("tensorflow")
        if tf is not None:
            acted("tensor-scalars")
            return tf.constant(value)
    return value
