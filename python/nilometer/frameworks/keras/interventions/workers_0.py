"""Without workers: batches are loaded by the thread that trains.

What: a `PyDataset` or `Sequence` is read by the thread of `fit` itself.
How: `workers`, `use_multiprocessing` and `max_queue_size` of the object (Keras 3) or the call (Keras 2)
are set so.
Proves: the workers keep the memory, or the queue between them and `fit` does.
"""

from __future__ import annotations

from nilometer.frameworks.keras import places
from nilometer.frameworks.keras.interventions._data import kind_of
from nilometer.interventions import acted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def install(_: str) -> None:
    """Does without workers in every `fit`."""
    places.on_fit(_change)


def _change(_: Any, arguments: dict[str, Any]) -> None:
    for name in ("workers", "use_multiprocessing"):
        if name in arguments:
            arguments[name] = 0 if name == "workers" else False
            acted("workers-0")
    for name in ("x", "validation_data"):
        data: Any = arguments.get(name)
        if kind_of(data) == "sequence" and hasattr(data, "workers"):
            data.workers, data.use_multiprocessing = 0, False
            acted("workers-0")
