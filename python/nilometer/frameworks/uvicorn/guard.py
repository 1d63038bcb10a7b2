"""Lets a worker of uvicorn answer what it had accepted before it closes its connections.

In: the module of its server. Out: a worker that stops to accept first, where it was asked to end.
Never: a connection that is closed with its request under way.
"""

from __future__ import annotations

from nilometer.guard.workers import is_asked
from nilometer.hooks.wrapping import forget_frame, replace
from nilometer.interventions._imports import after_import

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

# So long after a connection was accepted its request has come.
_SETTLES_S = 0.25


def install() -> None:
    """Follows workers of uvicorn."""

    def action(module: ModuleType) -> None:
        replace(module.Server, "shutdown", _shutdown)

    after_import("uvicorn.server", action)


def _shutdown(original: Any) -> Any:
    """A wrapper of what closes the connections of a worker, also those whose request is under way to it."""

    async def shutdown(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        if is_asked():
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
