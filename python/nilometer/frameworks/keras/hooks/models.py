"""Marks from the making of models: one cycle per model the program makes, and the `build` of its layers.

In: the `Model` and `Layer` classes. Out: `model` cycles, counted when the making begins; `build` phases;
counts of what makes train steps be traced anew.
Never: a cycle for a model made inside another model's making, or a wrapped `__init__` (Keras reads its
signature).
"""

from __future__ import annotations

import sys
import weakref

from nilometer.hooks import alive, marks, probes
from nilometer.hooks.marks import begin, end, thread
from nilometer.hooks.wrapping import forget_frame, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, FrameType
    from typing import Any

# Build phases are for the one-time memory of the first models: enough of them, then no more.
_BUILDS = 256
_builds = 0

# Code that makes models on behalf of the model it belongs to, by its id; gone when the code is.
_making: dict[int, weakref.ref[CodeType]] = {}
_MAKING_NAMES = frozenset(("__init__", "build"))


def install_model(model: type) -> None:
    """Counts the models that the program makes; `model` is the base class of all models."""
    cycle = probes.cycle

    def make(original: Any) -> Any:
        def new(cls: Any, /, *args: Any, **kwargs: Any) -> Any:
            # `Model(inputs, outputs)` comes here twice for the one model: first as Model, then as Functional.
            if thread.making:
                try:
                    return original(cls, *args, **kwargs)
                except BaseException as error:
                    forget_frame(error)
                    raise
            thread.making = True
            try:
                _remember(cls, model)
                if not _is_inside_another(sys._getframe(1)):
                    cycle(marks.MODEL)
                made = original(cls, *args, **kwargs)
            except BaseException as error:
                forget_frame(error)
                raise
            finally:
                thread.making = False
            alive.born(made, "models")
            return made

        return new

    replace(model, "__new__", make)


def remember_code(function: Any) -> None:
    """Models made while `function` runs are parts of the model it builds."""
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    code = getattr(function, "__code__", None)
    if code is not None and id(code) not in _making:
        key = id(code)
        _making[key] = weakref.ref(code, lambda _: _making.pop(key, None))


def _remember(cls: type, model: type) -> None:
    for kind in cls.__mro__:
        if kind is model:
            return
        if "__init__" in vars(kind):
            remember_code(vars(kind)["__init__"])


def _is_inside_another(frame: FrameType | None) -> bool:
    while frame is not None:
        code = frame.f_code
        if code.co_name in _MAKING_NAMES and id(code) in _making:
            return True
        frame = frame.f_back
    return False


def wrap_build(is_needed: Callable[[Any], bool]) -> Callable[[Any], Any]:
    """A maker of wrappers around a method that, if `is_needed(self)`, builds: the `build` phase."""

    def make(original: Any) -> Any:
        def build(self: Any, /, *args: Any, **kwargs: Any) -> Any:
            global _builds
            if thread.building or _builds >= _BUILDS or not is_needed(self):
                try:
                    return original(self, *args, **kwargs)
                except BaseException as error:
                    forget_frame(error)
                    raise
            _builds += 1
            thread.building = True
            begin("build")
            try:
                return original(self, *args, **kwargs)
            except BaseException as error:
                forget_frame(error)
                raise
            finally:
                end("build")
                thread.building = False

        return build

    return make


def is_unbuilt(layer: Any) -> bool:
    """Whether a layer says that it has not been built."""
    return not getattr(layer, "built", True)


def always(layer: Any) -> bool:
    """Every call builds."""
    return True


def count_clear_session(original: Any) -> Any:
    """A wrapper of `clear_session` that counts its calls."""
    cycle = probes.cycle

    def clear_session(*args: Any, **kwargs: Any) -> Any:
        try:
            result = original(*args, **kwargs)
        except BaseException as error:
            forget_frame(error)
            raise
        alive.count("clear_sessions")
        cycle(marks.CLEAR_SESSION)
        return result

    return clear_session


def count_compiles(original: Any) -> Any:
    """A wrapper of `compile` that counts its calls: each makes the next `fit` trace its step anew."""

    def call(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        alive.count("compiles")
        try:
            return original(self, *args, **kwargs)
        except BaseException as error:
            forget_frame(error)
            raise

    return call
