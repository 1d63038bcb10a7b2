"""Trials of a search (Optuna, KerasTuner), and fits of scikit-learn's estimators.

In: one of their modules that was just imported. Out: one cycle per trial, and per outermost fit.
Never: a cycle for the fits that an estimator makes of others: a grid search is one fit.
"""

from __future__ import annotations

from nilometer.hooks import cycles, marks
from nilometer.hooks.wrapping import forget_frame, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any


def install(name: str, module: ModuleType) -> None:
    """Wraps what `module`, imported as `name`, has for us."""
    trial = cycles.wrap_each(marks.TRIAL)
    if name == "optuna.study._optimize":
        replace(module, "_run_trial", trial)
    elif name == "optuna.study.study":
        replace(module.Study, "tell", trial)  # a loop by `ask` and `tell`; `optimize` does not come here
    elif name.startswith("keras_tuner."):
        # The method that users may override, `on_trial_end`, need not call its parent's. One of the two
        # modules may hand on the class of the other.
        if module.BaseTuner.__module__ == name:
            replace(module.BaseTuner, "_try_run_and_update_trial", trial)
    elif name == "sklearn.base":
        replace(module, "_fit_context", _fit_context, needed=False)  # there from 1.3 on


def _fit_context(original: Any) -> Any:
    # A decorator that every estimator of the package has on its `fit`, when its class is made: later than
    # this. Only its result is ours, so that the method's own names and signature stay.
    outermost = cycles.wrap_outermost(marks.FIT, "estimator")

    def context(*args: Any, **kwargs: Any) -> Any:
        try:
            decorate = original(*args, **kwargs)
        except BaseException as error:
            forget_frame(error)
            raise

        def decorator(method: Any) -> Any:
            decorated = decorate(method)
            owner = _Owner()
            owner.fit = decorated
            replace(owner, "fit", outermost)
            return owner.fit

        return decorator

    return context


class _Owner:
    """Holds a method while it is wrapped."""

    fit: Any
