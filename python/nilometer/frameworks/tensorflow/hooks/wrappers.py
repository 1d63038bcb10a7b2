"""How TensorFlow wraps a function: stand-ins in methods, AutoGraph's translation, functions of data sets.

In: a wrapper. Out: what is inside it.
Never: an attribute of an object that is not TensorFlow's own or a plain function: it could run the program's
code.
"""

from __future__ import annotations

from types import FunctionType

from nilometer.hooks import origin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_DATA_FUNCTIONS = "/data/ops/structured_function.py"


class Wrappers(origin.Wrappers):
    """What TensorFlow and `functools` leave in wrappers."""

    @staticmethod
    def target(owner: Any) -> Any:
        """The object itself where TensorFlow puts a stand-in for it into a method."""
        if type(owner).__name__ == "TfMethodTarget":
            target = owner.weakrefself_target__()
            return owner if target is None else target
        return owner

    @staticmethod
    def wrapped(function: FunctionType) -> Any:
        """The function inside a wrapper, as TensorFlow and `functools` leave it there."""
        known = vars(function)
        # AutoGraph puts its translation into `__wrapped__`; TensorFlow remembers what was there at first.
        for name in ("__original_wrapped__", "__wrapped__"):
            if name in known:
                return known[name]
        if function.__code__.co_filename.endswith(_DATA_FUNCTIONS):
            return _of_data(function)
        return None

    @staticmethod
    def held(thing: Any) -> Any:
        """The function of a `tf.function`."""
        kind = type(thing)
        if kind.__name__ == "Function" and kind.__module__.startswith("tensorflow."):
            return vars(thing).get("_python_function")
        return None


def _of_data(function: FunctionType) -> Any:
    """What was given to `Dataset.map` and its kin: two closures away from the function that is traced."""
    helper = _free(function, "wrapper_helper")
    wrapper = _free(helper, "self") if type(helper) is FunctionType else None
    return vars(wrapper).get("_func") if wrapper is not None else None


def _free(function: FunctionType, name: str) -> Any:
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=False))
    try:
        return cells[name].cell_contents
    except (KeyError, ValueError):
        return None
