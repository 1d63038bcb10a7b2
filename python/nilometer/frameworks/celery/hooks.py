"""What is hooked in Celery: tasks of a worker, by its own signal.

In: the module of its signals. Out: one cycle per task, also of one that failed, with its name.
Never: a reference to a task, its arguments or its result.
"""

from __future__ import annotations

from nilometer.hooks import marks, probes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any


def install(name: str, module: ModuleType) -> None:
    """Connects to the signal that comes after a task."""
    module.task_postrun.connect(_task_ended, weak=False)


def _task_ended(task: Any = None, **kwargs: Any) -> None:
    # A task that fails to tell its name is one without.
    try:
        name = getattr(task, "name", None)
    except Exception:
        name = None
    probes.cycle(marks.TASK, name if isinstance(name, str) else None)
