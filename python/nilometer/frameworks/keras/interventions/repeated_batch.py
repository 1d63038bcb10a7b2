"""One batch again and again, instead of the program's own way to its data.

What: `fit` trains on the first batch of its data, as often as there would have been batches.
How: a generator, an iterator, a `PyDataset` or `Sequence`, or a `tf.data` data set is asked for its first
batch and replaced by something of the same kind that repeats it. Arrays stay as they are: nothing runs to
read them.
Proves: the code that makes or loads the batches keeps the memory.
"""

from __future__ import annotations

from nilometer.frameworks.keras import places
from nilometer.frameworks.keras.interventions._data import kind_of
from nilometer.interventions import acted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_NAME = "repeated-batch"


def install(_: str) -> None:
    """Repeats the first batch in every `fit`."""
    places.on_fit(_change)


def _change(_: Any, arguments: dict[str, Any]) -> None:
    data = arguments.get("x")
    kind = kind_of(data)
    if kind == "generator" and arguments.get("steps_per_epoch"):
        arguments["x"] = _generator(data)
    elif kind == "sequence":
        arguments["x"] = _sequence(data)
    elif kind == "dataset":
        arguments["x"] = _dataset(data, arguments.get("steps_per_epoch"))
    else:
        return
    acted(_NAME)


def _generator(data: Any) -> Iterator[Any]:
    batch = next(iter(data))
    while True:
        yield batch


def _sequence(data: Any) -> Any:
    """A subclass of what Keras takes it for, whose every item is the first."""
    base = next(kind for kind in type(data).__mro__ if "keras" in kind.__module__.partition(".")[0])
    batch, length = data[0], len(data)
    same = {"__getitem__": lambda self, index: batch, "__len__": lambda self: length}
    return type("Repeated", (base,), same)()


def _dataset(data: Any, steps: int | None) -> Any:
    count = int(data.cardinality())
    batch = data.take(1)
    if count == -2 and steps is None:
        count = sum(1 for _ in data)
    # Read into memory once: what makes the batches is not to run again.
    batch = (
        type(data).from_tensors(next(iter(batch))) if hasattr(type(data), "from_tensors") else batch.cache()
    )
    return batch.repeat(count if count >= 0 else None)
