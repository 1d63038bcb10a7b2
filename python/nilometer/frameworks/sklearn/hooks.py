"""What is wrapped in scikit-learn: fits of its estimators.

In: the module that has what every estimator is decorated with. Out: one cycle per outermost fit.
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
    """Wraps the maker of the decorator."""
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
