"""Ends a process of Celery's pool where it would have waited for its next task.

In: the module of the pool, which is billiard's. Out: an end as `worker_max_tasks_per_child` ends a process.
Never: an end with a task at hand.
"""

from __future__ import annotations

import sys

from nilometer.guard.workers import is_asked
from nilometer.hooks.wrapping import forget_frame, replace
from nilometer.interventions._imports import after_import

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

# What billiard calls EX_RECYCLE: the pool takes the process for one that has done its share.
_RECYCLED = 0x9B


def install() -> None:
    """Follows the processes of billiard's pools."""

    def action(module: ModuleType) -> None:
        replace(module.Worker, "_make_child_methods", _make_child_methods)

    after_import("billiard.pool", action)


def _make_child_methods(original: Any) -> Any:
    """A wrapper of the method in which a process of the pool makes its own functions."""

    def make_child_methods(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        try:
            result = original(self, *args, **kwargs)
        except BaseException as error:
            forget_frame(error)
            raise
        wait = self.wait_for_job

        def wait_for_job() -> Any:
            if is_asked():
                # billiard has put its own in place of this one, which keeps the code.
                sys.exit(_RECYCLED)
            return wait()

        self.wait_for_job = wait_for_job
        return result

    return make_child_methods
