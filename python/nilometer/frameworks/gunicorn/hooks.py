"""What is wrapped in gunicorn, for applications that no framework of ours knows.

In: one of its workers. Out: one cycle per request, with its path.
Never: a request that is kept, its query or its body.
"""

from __future__ import annotations

from nilometer.hooks import served
from nilometer.hooks.wrapping import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any


# The last part of a module's name -> the worker in it.
_WORKERS = {"sync": "SyncWorker", "gthread": "ThreadWorker", "base_async": "AsyncWorker"}


def install(name: str, module: ModuleType) -> None:
    """Wraps what handles one request."""
    worker = getattr(module, _WORKERS[name.rpartition(".")[2]])
    replace(worker, "handle_request", served.wrap(_about))


def _about(args: tuple[Any, ...], _kwargs: dict[str, Any]) -> tuple[str, str, bool]:
    """The request is one of the first arguments, by kind of worker."""
    request = next(one for one in args[1:4] if hasattr(one, "method") and hasattr(one, "path"))
    return request.method, request.path, False
