"""Follows the fits of a program: counts them, and lets the guard speak where their epochs end.

In: every call of `fit`, every list of callbacks. Out: one `Training` for each outermost fit of the main
thread.
Never: a callback put among the program's own, or a word in a fit that another fit or another thread makes.
"""

from __future__ import annotations

from nilometer.frameworks.keras import places
from nilometer.frameworks.keras.guard.training import Training
from nilometer.guard import leaving
from nilometer.hooks.wrapping import forget_frame, replace
from nilometer.interventions._imports import after_import

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from nilometer.guard.policy import Policy

_running: Training | None = None
_count = 0


def install(policy: Policy, before: dict[str, Any] | None) -> None:
    """Wraps `fit` and the lists of callbacks of every Keras that is imported."""

    def fit(original: Any) -> Any:
        def call(self: Any, /, *args: Any, **kwargs: Any) -> Any:
            global _running, _count
            if _running is not None or not _is_main_thread() or not policy.is_of_this_process():
                return original(self, *args, **kwargs)
            leaving.stay_away()
            _count += 1
            _running = Training(_count, self, policy, before)
            try:
                args, kwargs = _running.arguments(original, (self, *args), kwargs)
                return original(*args, **kwargs)
            except BaseException as error:
                forget_frame(error)
                raise
            finally:
                _running = None

        call.__code__ = call.__code__.replace(co_name="fit")
        return call

    def action(owner: str) -> Any:
        return lambda module: places.void(replace(getattr(module, owner), "fit", fit))

    for name, owner in places.TRAINERS.items():
        after_import(name, action(owner))
    places.on_callback_list(_install_list)


def _install_list(callback_list: Any) -> None:
    replace(callback_list, "on_train_begin", _train_begin)
    replace(callback_list, "on_epoch_begin", _epoch_begin)
    replace(callback_list, "on_epoch_end", _epoch_end)


def _train_begin(original: Any) -> Any:
    def on_train_begin(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        training = _running
        if training is not None and training.takes(self):
            training.begins()
            result = original(self, *args, **kwargs)
            training.has_begun()
            return result
        return original(self, *args, **kwargs)

    return on_train_begin


def _epoch_begin(original: Any) -> Any:
    def on_epoch_begin(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        if _running is not None and _running.list is self:
            _running.epoch_begins()
        return original(self, *args, **kwargs)

    return on_epoch_begin


def _epoch_end(original: Any) -> Any:
    def on_epoch_end(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        result = original(self, *args, **kwargs)
        if _running is not None and _running.list is self:
            _running.epoch_ended(args[0] if args else kwargs["epoch"])
        return result

    return on_epoch_end


def _is_main_thread() -> bool:
    import threading

    return threading.current_thread() is threading.main_thread()
