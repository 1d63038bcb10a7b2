"""What is wrapped in aiohttp: where its server handles one request.

In: the module of its protocol. Out: one cycle per request, with its resource.
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
    """Wraps the handler of requests."""
    replace(module.RequestHandler, "_handle_request", served.wrap_async(_about))


def _about(args: tuple[Any, ...], _kwargs: dict[str, Any]) -> tuple[str, str, bool]:
    """Of a request, which knows its resource once it was handled."""
    request = args[1]
    match = getattr(request, "match_info", None)
    if match is None:
        return request.method, request.path, False
    resource = match.route.resource
    return request.method, served.NO_ROUTE if resource is None else resource.canonical, True
