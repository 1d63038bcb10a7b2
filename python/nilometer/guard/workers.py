"""Lets a worker of a service end without a task or a request that is lost, when the supervisor asks for it.

In: a folder, in which a file with the number of a process says that it was asked. Out: a process of Celery's
pool ends where it would have waited for its next task, as `worker_max_tasks_per_child` ends it. A worker of
uvicorn stops to accept, and answers what it had accepted before it closes its connections.
Never: an end with a task at hand, or anything else than usual in a worker that was not asked.
"""

from __future__ import annotations

import os
import sys

from nilometer.hooks.wrapping import forget_frame, replace
from nilometer.interventions import _keras
from nilometer.interventions._imports import after_import

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

# What billiard calls EX_RECYCLE: the pool takes the process for one that has done its share.
_RECYCLED = 0x9B
# So long after a connection was accepted its request has come.
_SETTLES_S = 0.25

_folder = ""


def install(folder: str) -> None:
    """Follows workers of uvicorn, and the processes of billiard's pools, which are Celery's."""
    global _folder
    _folder = folder

    def pool(module: ModuleType) -> None:
        _keras.void(replace(module.Worker, "_make_child_methods", _make_child_methods))

    def server(module: ModuleType) -> None:
        _keras.void(replace(module.Server, "shutdown", _shutdown))

    after_import("billiard.pool", pool)
    after_import("uvicorn.server", server)


def _is_asked() -> bool:
    return os.path.exists(os.path.join(_folder, str(os.getpid())))


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
            if _is_asked():
                # billiard has put its own in place of this one, which keeps the code.
                sys.exit(_RECYCLED)
            return wait()

        self.wait_for_job = wait_for_job
        return result

    return make_child_methods


def _shutdown(original: Any) -> Any:
    """A wrapper of what closes the connections of a worker, also those whose request is under way to it."""

    async def shutdown(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        if _is_asked():
            import asyncio

            for server in self.servers:
                server.close()
            await asyncio.sleep(_SETTLES_S)
        try:
            return await original(self, *args, **kwargs)
        except BaseException as error:
            forget_frame(error)
            raise

    return shutdown
