"""What is wrapped in RQ: where a job runs, and where a worker forks for each.

In: one of its modules that was just imported. Out: one cycle per task, also of one that failed; with its
name where the process knows it.
Never: a reference to a task, its arguments or its result.
"""

from __future__ import annotations

from nilometer.hooks import marks, probes
from nilometer.hooks.wrapping import replace, wrap_then

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any


def install(name: str, module: ModuleType) -> None:
    """Wraps what `module`, imported as `name`, has for us."""
    # A module up to RQ 2, a package from 3 on.
    for worker in ("BaseWorker", "Worker"):
        owner = vars(module).get(worker)
        if isinstance(owner, type) and owner.__module__ == name:
            replace(owner, "perform_job", wrap_then(_job_ended), needed=False)
            replace(owner, "monitor_work_horse", wrap_then(_horse_ended), needed=False)


def _job_ended(*args: Any, **kwargs: Any) -> None:
    job = kwargs.get("job", args[1] if len(args) > 1 else None)
    probes.cycle(marks.TASK, _name(job))


def _horse_ended(*args: Any, **kwargs: Any) -> None:
    # The name would have to be unpickled, which the process that forks never does.
    probes.cycle(marks.TASK)


def _name(job: Any) -> str | None:
    # RQ reads the name of a function out of pickled data, which may be damaged.
    try:
        text = getattr(job, "func_name", None)
    except Exception:
        return None
    return text if isinstance(text, str) else None
