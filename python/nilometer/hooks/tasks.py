"""Tasks of a worker: Celery by its own signal, RQ where a job runs in the worker's process.

In: one of their modules that was just imported. Out: one cycle per task, also one that failed.
Never: a reference to a task, its arguments or its result.
"""

from __future__ import annotations

from nilometer.hooks import cycles, marks, probes
from nilometer.hooks.wrapping import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any


def install(name: str, module: ModuleType) -> None:
    """Hooks what `module`, imported as `name`, has for us."""
    if name == "celery.signals":
        module.task_postrun.connect(_task_ended, weak=False)
        return
    # A module of its own up to RQ 2, a package from 3 on.
    for worker in ("BaseWorker", "Worker"):
        owner = vars(module).get(worker)
        if isinstance(owner, type) and owner.__module__ == name:
            replace(owner, "perform_job", cycles.wrap_each(marks.TASK), needed=False)


def _task_ended(**kwargs: Any) -> None:
    probes.cycle(marks.TASK)
