"""What is wrapped in uvicorn, for applications that no framework of ours knows.

In: one of its protocols. Out: one cycle per request, with its path.
Never: a request that is kept, its query or its body.
"""

from __future__ import annotations

import sys

from nilometer.hooks import served
from nilometer.hooks.wrapping import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any


def install(name: str, module: ModuleType) -> None:
    """Wraps what runs the application for one request."""
    replace(module.RequestResponseCycle, "run_asgi", _run)


def _run(original: Any) -> Any:
    counted = served.wrap_async(_about)(original)

    def run_asgi(*args: Any, **kwargs: Any) -> Any:
        if len(args) > 1 and _counts_itself(args[1]):
            return original(*args, **kwargs)
        return counted(*args, **kwargs)

    return run_asgi


def _counts_itself(app: Any) -> bool:
    """Whether each request of it comes to our wrapper in Starlette: two of them cost twice as much.

    Only of types whose `__call__` is known: a middleware may answer by itself.
    """
    if type(app).__name__ == "ProxyHeadersMiddleware":  # what uvicorn puts before an application by itself
        app = app.app
    name = type(app).__module__
    if name not in ("fastapi.applications", "starlette.applications"):
        return False
    starlette = getattr(sys.modules.get("starlette.applications"), "Starlette", None)
    call = vars(starlette).get("__call__") if isinstance(starlette, type) else None
    return hasattr(call, "__wrapped__")


def _about(args: tuple[Any, ...], _kwargs: dict[str, Any]) -> tuple[str, str, bool]:
    scope = args[0].scope
    return scope["method"], scope["path"], False
