"""What is wrapped in uvicorn, for applications that no framework of ours knows.

In: one of its protocols. Out: one cycle per request, with its path.
Never: a request that is kept, its query or its body.
"""

from __future__ import annotations

from nilometer.hooks import served
from nilometer.hooks.wrapping import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any


def install(name: str, module: ModuleType) -> None:
    """Wraps what runs the application for one request."""
    replace(module.RequestResponseCycle, "run_asgi", served.wrap_async(_about))


def _about(args: tuple[Any, ...], _kwargs: dict[str, Any]) -> tuple[str, str, bool]:
    scope = args[0].scope
    return scope["method"], scope["path"], False
