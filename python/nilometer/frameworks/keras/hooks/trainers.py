"""Marks from the calls a program makes of a model: `fit`, `evaluate`, `predict`, and their `_on_batch` kin;
and of an optimizer, in a loop of its own that no framework runs.

In: a trainer class (one per backend in Keras 3, `Model` itself in Keras 2). Out: one cycle and one phase per
call.
Never: a cycle for the `evaluate` that `fit` makes itself to validate.
"""

from __future__ import annotations

from nilometer.frameworks.keras.hooks import stateful
from nilometer.hooks import cycles, marks, probes, shapes
from nilometer.hooks.marks import begin, end, enter, leave, thread
from nilometer.hooks.wrapping import forget_frame, replace, wrap_then

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_CALLS = (("fit", marks.FIT), ("evaluate", marks.EVALUATE), ("predict", marks.PREDICT))
_ON_BATCH = ("train_on_batch", "test_on_batch", "predict_on_batch")
# What Keras takes for a batch if it is not told.
_BATCH = 32


def install(trainer: type) -> None:
    """Wraps the methods of `trainer` that programs call."""
    for name, unit in _CALLS:
        replace(trainer, name, _call(name, unit))
    for name in _ON_BATCH:
        replace(trainer, name, _on_batch)


def _call(name: str, unit: int) -> Callable[[Any], Any]:
    cycle = probes.cycle
    has_entry = name == "fit"

    def make(original: Any) -> Any:
        def call(self: Any, /, *args: Any, **kwargs: Any) -> Any:
            # The mark by which every Keras tells the validation of `fit` from a call by the program.
            if kwargs.get("_use_cached_eval_dataset"):
                try:
                    return original(self, *args, **kwargs)
                except BaseException as error:
                    forget_frame(error)
                    raise
            _see_batches(args, kwargs)
            begin(name)
            outer = enter(name)
            watched = stateful.enter(self, args, kwargs) if has_entry else None
            try:
                if has_entry:
                    begin("fit_entry")
                return original(self, *args, **kwargs)
            except BaseException as error:
                forget_frame(error)
                raise
            finally:
                if has_entry:
                    stateful.leave(watched)
                leave(outer)
                cycle(unit)
                end(name)

        # While it ends, what it was called with hangs on this frame alone, which is told by its name.
        call.__code__ = call.__code__.replace(co_name=name)
        return call

    return make


def _see_batches(args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Data was passed, of which Keras makes batches: full ones, and a rest."""
    shape = shapes.shape_of(args[0] if args else kwargs.get("x"))
    if shape:
        batch = kwargs.get("batch_size")
        size = batch if type(batch) is int and batch > 0 else _BATCH
        for rows in (min(shape[0], size), shape[0] % size):
            if rows:
                shapes.add((rows, *shape[1:]))


def _on_batch(original: Any) -> Any:
    cycle = probes.cycle
    unit = marks.ON_BATCH

    def call(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        shapes.see(args)
        outer = enter("on_batch")
        try:
            return original(self, *args, **kwargs)
        except BaseException as error:
            forget_frame(error)
            raise
        finally:
            leave(outer)
            cycle(unit)

    return call


def count_updates(original: Any) -> Any:
    """Wraps the method by which an optimizer applies gradients. A step that is traced is a call instead."""
    update = cycles.update
    return wrap_then(lambda *_args, **_kwargs: update())(original)


def wrap_phase(name: str) -> Callable[[Any], Any]:
    """A maker of wrappers around a function whose outermost run in a thread is a phase of this name."""

    def make(original: Any) -> Any:
        def call(*args: Any, **kwargs: Any) -> Any:
            opened = thread.open
            if opened and opened[-1][0] == name:
                try:
                    return original(*args, **kwargs)
                except BaseException as error:
                    forget_frame(error)
                    raise
            begin(name)
            try:
                return original(*args, **kwargs)
            except BaseException as error:
                forget_frame(error)
                raise
            finally:
                end(name)

        return call

    return make
