"""What is wrapped in Starlette, which FastAPI is one of: where one request is served.

In: the module of its application. Out: one cycle per request, with the route that its routers found.
Never: a middleware among the program's own, a changed application, or a request that is kept.
"""

from __future__ import annotations

from nilometer.hooks import served
from nilometer.hooks.wrapping import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any


def install(name: str, module: ModuleType) -> None:
    """Wraps the application."""
    replace(module.Starlette, "__call__", served.wrap_asgi(served.of_scope, _route))


def _route(scope: dict[str, Any]) -> tuple[object, object]:
    """What the routers left in the scope; FastAPI's are some."""
    method, route = scope.get("method"), scope.get("route")
    path = getattr(route, "path_format", None) or getattr(route, "path", None)
    # What lies above an application that is mounted into another, but not what a proxy put before both.
    root, outer = scope.get("root_path", ""), scope.get("app_root_path", "")
    above = root[len(outer) :] if root.startswith(outer) else ""
    if above and path in (None, above):
        return method, above + "/*"
    if isinstance(path, str):
        return method, above + path
    return method, served.NO_ROUTE if "router" in scope and "endpoint" not in scope else None
