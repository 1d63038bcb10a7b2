"""Marks from the adapter that turns the program's data into batches: a phase, and how big the arrays were.

In: the constructor of the adapter. Out: the `data_adapter` phase, and once the number of elements that `fit`
was given as arrays (Keras copies those, so memory before the first batch can be told from it).
Never: a look into the data, or a reference to it that stays.
"""

from __future__ import annotations

from nilometer import _native
from nilometer.frameworks.keras.hooks import stateful
from nilometer.frameworks.keras.hooks.trainers import wrap_phase
from nilometer.hooks import facts
from nilometer.hooks.marks import thread
from nilometer.hooks.wrapping import forget_frame

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_told = False


def _forget() -> None:
    """Another recording is told of its first data, too."""
    global _told
    _told = False


facts.on_forgetting(_forget)


def wrap_adapter(original: Any) -> Any:
    """A wrapper of the constructor of `EpochIterator` (Keras 3) or `DataHandler` (Keras 2)."""
    phased = wrap_phase("data_adapter")(original)

    def __init__(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        if not _told and thread.scope == "fit":
            _tell(args, kwargs)
        try:
            result = phased(self, *args, **kwargs)
        except BaseException as error:
            forget_frame(error)
            raise
        if thread.stateful is not None:
            stateful.see_data(self)
        return result

    return __init__


def _tell(args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    global _told
    _told = True
    try:
        x = args[0] if args else kwargs.get("x")
        y = args[1] if len(args) > 1 else kwargs.get("y")
        elements = _elements(x) + (0 if y is None else _elements(y))
        _native.fact("fit.elements", str(elements))
    except (TypeError, ValueError):
        pass  # a generator or a data set: nothing is known, nothing is said


def _elements(data: Any) -> int:
    """The elements of an array, or of all arrays in a list, tuple or dict; `TypeError` for other data."""
    if type(data).__module__ == "numpy":
        return int(data.size)
    if type(data) in (list, tuple):
        return sum(map(_elements, data))
    if type(data) is dict:
        return sum(map(_elements, data.values()))
    raise TypeError
