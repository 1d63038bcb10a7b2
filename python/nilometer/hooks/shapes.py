"""Which shapes of batches the program has passed: native kernels are made and kept for each.

In: the first argument of a call that trains, predicts, or runs a traced function. Out: how many shapes there
were.
Never: a look at anything but the shape of a NumPy array or an eager tensor, or a reference to either.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Whoever has so many shapes has them without end.
_MAX_SHAPES = 1024
_shapes: set[tuple[int, ...]] = set()
# What Keras takes for a batch if it is not told.
_BATCH = 32


def seen() -> int:
    """How many different shapes there were."""
    return len(_shapes)


def see(args: tuple[Any, ...]) -> None:
    """A batch was passed as the first argument."""
    shape = _shape(args[0]) if args else None
    if shape is not None and shape not in _shapes and len(_shapes) < _MAX_SHAPES:
        _shapes.add(shape)


def see_all(args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Data was passed, of which Keras makes batches: full ones, and a rest."""
    shape = _shape(args[0] if args else kwargs.get("x"))
    if shape:
        batch = kwargs.get("batch_size")
        size = batch if type(batch) is int and batch > 0 else _BATCH
        for rows in (min(shape[0], size), shape[0] % size):
            if rows and len(_shapes) < _MAX_SHAPES:
                _shapes.add((rows, *shape[1:]))


def _shape(batch: Any) -> tuple[int, ...] | None:
    kind = type(batch)
    name = kind.__name__
    try:
        if name == "ndarray" and kind.__module__ == "numpy":
            array: tuple[int, ...] = batch.shape
            return array
        if name == "EagerTensor" and kind.__module__.startswith("tensorflow."):
            tensor: tuple[int, ...] | None = batch._shape_tuple()
            return tensor
    except Exception:
        pass  # a tensor whose computation failed: its shape is not known
    return None
