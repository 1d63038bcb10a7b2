"""Every `fit` at a part of its batch, ended after a few steps by `model.stop_training`, and what it took.

In: the divisor, the batch, the steps. Out: a fact for each `fit`, and one for the rest of the program.
Never: a `fit` changed whose data come batched: what batch they have is the program's own.
"""

from __future__ import annotations

import atexit
import json
from time import monotonic

from nilometer import _native
from nilometer.frameworks.keras import places
from nilometer.frameworks.keras.interventions._data import kind_of
from nilometer.frameworks.keras.plan import sizes
from nilometer.hooks.wrapping import replace
from nilometer.plan import memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# What Keras takes where nobody says.
_KERAS_BATCH = 32
# Steps that are cheap are made up to so many, for so long after the first: a peak is seen sooner or later.
_MAX_STEPS = 24
_CHEAP_S = 5.0
# Facts of so many fits are kept; a loop of more is judged by them.
_MAX_TOLD = 64

_outside = 0


class _Now:
    """The `fit` that runs."""

    def __init__(self, told: dict[str, Any], given: list[Any], tested: list[Any], share: float) -> None:
        self.told = told
        self.given = given
        self.tested = tested
        self.share = share
        self.began = monotonic()
        self.steps = 0
        self.tests = 0
        self.has_tested = False
        self.needs_tests = True
        self.trained: int | None = None


_now: _Now | None = None
_count = 0


def install(divisor: int, batch: int, steps: int) -> None:
    """Changes each `fit` from now on."""
    places.on_fit(lambda model, arguments: _begin(arguments, divisor, batch))
    places.on_callback_list(lambda callback_list: _end_after(callback_list, steps))
    atexit.register(_say_outside)


def _begin(arguments: dict[str, Any], divisor: int, batch: int) -> None:
    global _now, _outside
    _outside = max(_outside, memory.peak())
    data = arguments.get("x")
    kind = kind_of(data)
    told: dict[str, Any] = {"own": None, "batch": None, "samples": None, "batched": None, "making": 0}
    if kind == "arrays":
        own = _own(arguments)
        told["own"] = own
        told["batch"] = arguments["batch_size"] = max(1, (batch or own) // divisor)
        told["samples"] = _training(arguments)
    else:
        from nilometer.frameworks.keras.plan import words

        told["batched"] = words.data(kind)
    told["epochs"] = int(arguments.get("epochs") or 1)
    tested = arguments.get("validation_data")
    split = float(arguments.get("validation_split") or 0.0) if tested is None else 0.0
    names = ("x", "y", "sample_weight")
    given = [arguments[name] for name in names if arguments.get(name) is not None]
    _now = _Now(told, given, [] if tested is None else [tested], split)


def _own(arguments: dict[str, Any]) -> int:
    """The batch that the program has."""
    given = arguments.get("batch_size")
    if given:
        return int(given)
    steps, samples = arguments.get("steps_per_epoch"), sizes.samples(arguments.get("x"))
    return -(-samples // int(steps)) if steps and samples else _KERAS_BATCH


def _training(arguments: dict[str, Any]) -> int | None:
    """Samples to train with: a split for validation takes its part."""
    samples = sizes.samples(arguments.get("x"))
    split = arguments.get("validation_split")
    if samples is None or not split or arguments.get("validation_data") is not None:
        return samples
    return int(samples * (1.0 - float(split)))


def _end_after(callback_list: Any, steps: int) -> None:
    def train_step(original: Any) -> Any:
        def on_train_batch_end(self: Any, /, *args: Any, **kwargs: Any) -> Any:
            result = original(self, *args, **kwargs)
            if _now is not None:
                _now.steps += 1
                if _now.steps == 1:
                    # Until here the pipeline is made and functions are traced; that memory is given back.
                    _now.told["making"] = memory.peak()
                    _now.began = monotonic()
                if _now.trained is None and _is_enough(_now, steps):
                    _now.trained = memory.peak()
                    _now.needs_tests = not _now.has_tested
                    _stop(self, "stop_training")
            return result

        return on_train_batch_end

    def test_begin(original: Any) -> Any:
        def on_test_begin(self: Any, /, *args: Any, **kwargs: Any) -> Any:
            if _now is not None:
                _now.tests = 0
                _now.has_tested = True
            return original(self, *args, **kwargs)

        return on_test_begin

    def test_step(original: Any) -> Any:
        def on_test_batch_end(self: Any, /, *args: Any, **kwargs: Any) -> Any:
            result = original(self, *args, **kwargs)
            if _now is not None:
                _now.tests += 1
                if _now.tests >= steps:
                    _stop(self, "stop_evaluating")
            return result

        return on_test_batch_end

    def train_end(original: Any) -> Any:
        def on_train_end(self: Any, /, *args: Any, **kwargs: Any) -> Any:
            result = original(self, *args, **kwargs)
            _say(self)
            return result

        return on_train_end

    replace(callback_list, "on_train_batch_end", train_step)
    replace(callback_list, "on_test_begin", test_begin)
    replace(callback_list, "on_test_batch_end", test_step)
    replace(callback_list, "on_train_end", train_end)


def _is_enough(now: _Now, steps: int) -> bool:
    """So many steps, and more while they are cheap."""
    return now.steps >= steps and (now.steps >= _MAX_STEPS or monotonic() - now.began > _CHEAP_S)


def _model(callbacks: Any) -> Any:
    model = getattr(callbacks, "_model", None)
    return getattr(callbacks, "model", None) if model is None else model


def _stop(callbacks: Any, switch: str) -> None:
    model = _model(callbacks)
    if model is not None:
        setattr(model, switch, True)


def _say(callbacks: Any) -> None:
    """States what the `fit` took. A list of callbacks of the program's own ends no `fit`."""
    global _now, _count
    now, _now = _now, None
    if now is None:
        return
    try:
        told = now.told
        taken = memory.taken()
        ended = memory.peak()
        told["files"] = taken.get("RssFile", 0) + taken.get("RssShmem", 0)
        told["steps"] = now.steps
        told["gpu"] = bool(_native.device_figures())
        told["backend"] = backend = sizes.backend()
        copies = sizes.copies(now.given, backend)
        tested = sizes.copies(now.tested, backend) + int(now.share * copies)
        told["copies"] = copies + sizes.copies(now.tested, backend)
        told.update(_counted(_model(callbacks)))
        trained = ended if now.trained is None else now.trained
        if now.needs_tests and told["epochs"] > 1:
            # From the second epoch on it trains with the copies for validation there.
            trained += tested
        told["peak"] = max(trained, ended)
        _count += 1
        if _count <= _MAX_TOLD:
            _native.fact(f"plan.fit.{_count}", json.dumps(told))
    except Exception as error:
        _native.lost(f"plan: {type(error).__name__}: {error}")


def _counted(model: Any) -> dict[str, int]:
    return {
        "weights": sizes.counted(sizes.variables(model, "weights")),
        "gradients": sizes.counted(sizes.variables(model, "trainable_weights")),
        "slots": sizes.counted(sizes.variables(getattr(model, "optimizer", None), "variables")),
    }


def _say_outside() -> None:
    outside = max(_outside, memory.peak())
    _native.fact("plan.outside", json.dumps({"peak": outside, "reset": memory.reset_works()}))
