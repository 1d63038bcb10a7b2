"""What is wrapped around processes: their start, and results of pools and executors.

In: `multiprocessing.process`, `multiprocessing.pool`, `concurrent.futures.process`. Out: a child's pid and
what it is for; in a worker a cycle for each of its tasks.
Never: a reference to a task, its arguments or its result.
"""

from __future__ import annotations

import os
import sys

from nilometer import _native, frameworks
from nilometer.hooks import marks, probes
from nilometer.hooks.wrapping import forget_frame, replace, wrap_then

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any


def install(name: str, module: ModuleType) -> None:
    """Wraps the start of every process that `multiprocessing` makes, or what its workers hand back."""
    if name == "multiprocessing.process":
        replace(module.BaseProcess, "start", _start)
    elif name == "multiprocessing.pool":
        replace(module.Pool, "_repopulate_pool", _repopulate, needed=False)
    else:
        # Only workers call it: of the last task too, whose worker ends behind it.
        replace(module, "_sendback_result", wrap_then(_task_ended), needed=False)


def _task_ended(*args: Any, **kwargs: Any) -> None:
    probes.cycle(marks.TASK)


def _start(original: Any) -> Any:
    def start(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        try:
            result = original(self, *args, **kwargs)
        except BaseException as error:
            forget_frame(error)
            raise
        pid = self.pid
        if isinstance(pid, int):
            _native.child(pid, _role(str(self.name)))
        return result

    return start


def _repopulate(original: Any) -> Any:
    def repopulate(self: Any) -> Any:
        _count_tasks(self)
        try:
            return original(self)
        except BaseException as error:
            forget_frame(error)
            raise

    return repopulate


def _count_tasks(pool: Any) -> None:
    """Has the workers that the pool is about to fork count what they hand back."""
    queue: Any = getattr(pool, "_outqueue", None)
    if not hasattr(queue, "_writer"):
        return
    hand_back, program = queue.put, os.getpid()

    def put(result: Any) -> None:
        hand_back(result)
        if os.getpid() != program:
            probes.cycle(marks.TASK)

    queue.put = put


def _role(name: str) -> str:
    frame = sys._getframe(2)
    while frame is not None:
        module = frame.f_globals.get("__name__", "")
        for package, ends, role in frameworks.LOADERS:
            if isinstance(module, str) and package in module and module.endswith(ends):
                return role
        frame = frame.f_back  # type: ignore[assignment]
    return name
