"""Which shapes of batches the program has passed: native kernels are made and kept for each.

In: the first argument of a call that trains, predicts, or runs a traced function. Out: how many shapes there
were.
Never: a look at anything but the shape of a NumPy array or a framework's tensor, or a reference to either.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# Whoever has so many shapes has them without end.
_MAX_SHAPES = 1024
_shapes: set[tuple[int, ...]] = set()
# By the name of a type: how the name of its module begins, and what reads a shape.
_readers: dict[str, tuple[str, Callable[[Any], tuple[int, ...] | None]]] = {}


def seen() -> int:
    """How many different shapes there were."""
    return len(_shapes)


def see(args: tuple[Any, ...]) -> None:
    """A batch was passed as the first argument."""
    shape = shape_of(args[0]) if args else None
    if shape is not None and shape not in _shapes and len(_shapes) < _MAX_SHAPES:
        _shapes.add(shape)


def shape_of(batch: Any) -> tuple[int, ...] | None:
    """Of an array of NumPy, or of a tensor that a framework's hooks have told how to read."""
    kind = type(batch)
    name = kind.__name__
    try:
        if name == "ndarray" and kind.__module__ == "numpy":
            array: tuple[int, ...] = batch.shape
            return array
        known = _readers.get(name)
        if known is not None and kind.__module__.startswith(known[0]):
            return known[1](batch)
    except Exception:
        pass  # a tensor whose computation failed: its shape is not known
    return None


def learn(kind: str, module: str, read: Callable[[Any], tuple[int, ...] | None]) -> None:
    """Reads shapes of objects of this type, whose module begins so."""
    _readers[kind] = (module, read)


def add(shape: tuple[int, ...]) -> None:
    """A batch of this shape was passed."""
    if len(_shapes) < _MAX_SHAPES:
        _shapes.add(shape)
