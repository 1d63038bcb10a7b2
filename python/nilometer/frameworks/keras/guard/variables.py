"""The variables of a model and of its optimizer, on disk.

In: a model of Keras 3 on any backend, or of Keras 2. Out: files in a folder, and the variables set from them.
Never: all of the state in memory once more, as `model.save` has it: near a limit, that is what kills.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# TensorFlow's own checkpoint has whatever the model tracks, also what only its subclass knows.
_NAME = "weights"


def is_of_tensorflow(model: Any) -> bool:
    """Whether TensorFlow's checkpoints know this model."""
    keras = sys.modules.get("keras")
    if keras is None or not isinstance(model, keras.Model) or int(keras.__version__.split(".")[0]) < 3:
        return True
    return bool(keras.backend.backend() == "tensorflow")


def save(model: Any, folder: str) -> None:
    """Writes them into `folder`, one at a time."""
    if is_of_tensorflow(model):
        _checkpoint(model).write(os.path.join(folder, _NAME))
        return
    import numpy

    for number, variable in enumerate(_all(model)):
        array = sys.modules["keras"].ops.convert_to_numpy(variable)
        if array.dtype.kind == "V" or array.dtype.name == "bfloat16":
            array = array.view(numpy.uint16)  # no type of numpy's own
        numpy.save(os.path.join(folder, f"{_NAME}-{number}.npy"), array, allow_pickle=False)


def load(model: Any, folder: str) -> None:
    """Sets them from `folder`. Raises where a variable of the model is not in it."""
    if is_of_tensorflow(model):
        status = _checkpoint(model).read(os.path.join(folder, _NAME))
        status.assert_existing_objects_matched()
        # What the model makes later gets its values then; what it no longer makes is no fault.
        status.expect_partial()
        return
    import numpy

    for number, variable in enumerate(_all(model)):
        array = numpy.load(os.path.join(folder, f"{_NAME}-{number}.npy"), allow_pickle=False)
        if str(variable.dtype) == "bfloat16":
            array = array.view(numpy.asarray(sys.modules["keras"].ops.convert_to_numpy(variable)).dtype)
        variable.assign(array)


def signature(model: Any) -> list[list[Any]]:
    """Name, shape and type of each weight: by these a model is known again."""
    return [[_name(one), [int(size) for size in one.shape], _type(one)] for one in model.weights]


def largest(model: Any) -> int:
    """Bytes of the largest one."""
    sizes = [0]
    for variable in _all(model):
        count = 1
        for size in variable.shape:
            count *= int(size or 1)
        digits = "".join(letter for letter in _type(variable) if letter.isdigit())
        sizes.append(count * max(int(digits or 8) // 8, 1))
    return max(sizes)


def _checkpoint(model: Any) -> Any:
    parts = {"model": model}
    if getattr(model, "optimizer", None) is not None:
        parts["optimizer"] = model.optimizer
    return sys.modules["tensorflow"].train.Checkpoint(**parts)


def _all(model: Any) -> list[Any]:
    found = list(model.variables)
    own = getattr(getattr(model, "optimizer", None), "variables", ())
    # A property in Keras 3, a method in some of Keras 2.
    found += list(own() if callable(own) else own)
    seen: set[int] = set()
    return [one for one in found if not (id(one) in seen or seen.add(id(one)))]  # type: ignore[func-returns-value]


def _name(variable: Any) -> str:
    # The layer's name before it has a number that counts all layers the process has made.
    return str(variable.name).rsplit("/", 1)[-1]


def _type(variable: Any) -> str:
    kind = variable.dtype
    return str(getattr(kind, "name", kind))
