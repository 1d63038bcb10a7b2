"""Marks from the class that Keras uses to call callbacks, in every version: `CallbackList`.

In: the class, when its module has been imported. Out: epochs, steps, the first batch, validation.
Never: a `Callback` put among the program's own (it can switch off asynchronous dispatch), a look at `logs`
(it can force the device to be waited for), or work per batch beyond one count.
"""

from __future__ import annotations

from nilometer import _native
from nilometer.frameworks.keras.hooks import stateful
from nilometer.hooks import marks, probes
from nilometer.hooks.marks import NO_BATCH, RUNNING, WAITING, begin, end, thread
from nilometer.hooks.wrapping import forget_frame, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def install(callback_list: type) -> None:
    """Wraps the methods of `callback_list` at class level."""
    replace(callback_list, "on_train_begin", _train_begin)
    replace(callback_list, "on_epoch_begin", _epoch_begin)
    replace(callback_list, "on_epoch_end", _epoch_end)
    replace(callback_list, "on_train_batch_begin", _train_batch_begin)
    replace(callback_list, "on_train_batch_end", _train_batch_end)
    replace(callback_list, "on_test_begin", _test_begin)
    replace(callback_list, "on_test_end", _test_end)


def _train_begin(original: Any) -> Any:
    def on_train_begin(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        end("fit_entry")
        try:
            return original(self, *args, **kwargs)
        except BaseException as error:
            forget_frame(error)
            raise

    return on_train_begin


def _epoch_begin(original: Any) -> Any:
    def on_epoch_begin(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        end("epoch")  # one that never ended: a loop of the program's own left it by `break`
        begin("epoch")
        try:
            result = original(self, *args, **kwargs)
        except BaseException as error:
            forget_frame(error)
            raise
        if thread.stateful is not None:
            stateful.epoch_begins()
        return result

    return on_epoch_begin


def _epoch_end(original: Any) -> Any:
    cycle = _native.cycle
    epoch = marks.EPOCH

    def on_epoch_end(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        if thread.stateful is not None:
            stateful.epoch_ends()
        try:
            result = original(self, *args, **kwargs)
        except BaseException as error:
            forget_frame(error)
            raise
        # After the program's callbacks: what they keep at the end of an epoch belongs to that epoch.
        cycle(epoch)
        end("epoch")  # at once: the two share a reading
        probes.look_if_due()
        return result

    return on_epoch_end


def _train_batch_begin(original: Any) -> Any:
    step = _native.step

    def on_train_batch_begin(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        step()
        if thread.first == WAITING:
            thread.first = RUNNING
            begin("first_batch")
        try:
            return original(self, *args, **kwargs)
        except BaseException as error:
            forget_frame(error)
            raise

    return on_train_batch_begin


def _train_batch_end(original: Any) -> Any:
    def on_train_batch_end(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        if thread.first == RUNNING:
            thread.first = NO_BATCH
            end("first_batch")
        try:
            return original(self, *args, **kwargs)
        except BaseException as error:
            forget_frame(error)
            raise

    return on_train_batch_end


def _test_begin(original: Any) -> Any:
    def on_test_begin(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        # Inside the program's own `evaluate` the scope is that call, also when a callback of `fit` makes it.
        if thread.scope == "fit":
            begin("validation")
            if thread.stateful is not None:
                stateful.validation_begins()
        try:
            return original(self, *args, **kwargs)
        except BaseException as error:
            forget_frame(error)
            raise

    return on_test_begin


def _test_end(original: Any) -> Any:
    def on_test_end(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        try:
            result = original(self, *args, **kwargs)
        except BaseException as error:
            forget_frame(error)
            raise
        if thread.scope == "fit":
            end("validation")
        return result

    return on_test_end
