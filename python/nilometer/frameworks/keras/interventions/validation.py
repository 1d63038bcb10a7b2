"""Without validation.

What: `fit` trains as ever and does not validate after its epochs.
How: `validation_data` and `validation_split` are left out of the call; a split still keeps its part of
the data out of training only if Keras made it, so with a split the model sees more data.
Proves: the memory is kept in validation, by the data for it or by callbacks that act in it.
"""

from __future__ import annotations

from nilometer.frameworks.keras import places
from nilometer.interventions import acted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def install(_: str) -> None:
    """Leaves validation out of every `fit`."""
    places.on_fit(_change)


def _change(_: Any, arguments: dict[str, Any]) -> None:
    for name in ("validation_data", "validation_split"):
        if arguments.pop(name, None) is not None:
            acted("validation")
