"""Plain values on disk: JSON, and one `.npy` file for each array.

In: numbers, text, None, arrays, and lists, tuples and dictionaries of these. Out: a file from which the same
values come back.
Never: pickle (a file that runs code when it is read), or a second copy of an array.
"""

from __future__ import annotations

import json
import os
import sys

from nilometer.guard import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def write(folder: str, name: str, value: object) -> None:
    """Writes `value` as `name`.json, its arrays beside it. Raises TypeError for what cannot be written."""
    arrays = 0

    def encoded(value: Any) -> Any:
        nonlocal arrays
        if value is None or isinstance(value, (bool, int, float, str)):
            # Subclasses (numpy's float64 is one) would come back as the plain type, which is equal.
            return value
        if isinstance(value, list):
            return [encoded(one) for one in value]
        if isinstance(value, tuple):
            return {"tuple": [encoded(one) for one in value]}
        if isinstance(value, dict):
            return {"dict": [[encoded(key), encoded(one)] for key, one in value.items()]}
        numpy = sys.modules.get("numpy")
        if numpy is not None and isinstance(value, numpy.generic) and value.dtype.kind in "biuf":
            return {"scalar": [str(value.dtype), value.item()]}
        if numpy is not None and isinstance(value, numpy.ndarray) and not value.dtype.hasobject:
            file = f"{name}-{arrays}.npy"
            arrays += 1
            numpy.save(os.path.join(folder, file), value, allow_pickle=False)
            return {"array": file}
        raise TypeError(words.cannot_hold(value))

    text = json.dumps(encoded(value))
    with open(os.path.join(folder, f"{name}.json"), "w") as file:
        file.write(text)


def read(folder: str, name: str) -> Any:
    """What `write` wrote."""
    with open(os.path.join(folder, f"{name}.json")) as file:
        text = json.load(file)

    def decoded(value: Any) -> Any:
        if isinstance(value, list):
            return [decoded(one) for one in value]
        if not isinstance(value, dict):
            return value
        ((kind, inner),) = value.items()
        if kind == "tuple":
            return tuple(decoded(one) for one in inner)
        if kind == "dict":
            return {decoded(key): decoded(one) for key, one in inner}
        import numpy

        if kind == "scalar":
            return numpy.dtype(inner[0]).type(inner[1])
        return numpy.load(os.path.join(folder, os.path.basename(inner)), allow_pickle=False)

    return decoded(text)


def can_hold(value: object) -> bool:
    """Whether `write` would take it."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return True
    if isinstance(value, (list, tuple)):
        return all(can_hold(one) for one in value)
    if isinstance(value, dict):
        return all(can_hold(key) and can_hold(one) for key, one in value.items())
    numpy = sys.modules.get("numpy")
    if numpy is None:
        return False
    if isinstance(value, numpy.ndarray):
        return not value.dtype.hasobject
    return isinstance(value, numpy.generic) and value.dtype.kind in "biuf"
