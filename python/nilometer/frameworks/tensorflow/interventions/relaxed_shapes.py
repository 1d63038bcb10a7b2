"""One trace for all shapes: `tf.function`s that meet ever new shapes are traced for any.

What: a function that is called with tensors of another shape each time is traced two or three times, not
each time.
How: every `tf.function` is made with `reduce_retracing=True`.
Proves: the function is traced anew for each shape, and the traces stay. The change is to pad batches to
one shape, to drop the last, smaller one, or that option.
"""

from __future__ import annotations

from nilometer.frameworks.tensorflow.interventions import _functions
from nilometer.interventions import acted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def install(_: str) -> None:
    """Relaxes shapes of all functions."""
    _functions.on_making(_change)


def _change(options: dict[str, Any]) -> None:
    options["reduce_retracing"] = True
    acted("relaxed-shapes")
