"""What is wrapped in web frameworks and servers. Which function serves one request, and how it is called.

In: one of their modules that was just imported. Out: its function wrapped.
Never: a middleware among the program's own, or a changed application.
"""

from __future__ import annotations

from nilometer.hooks import served
from nilometer.hooks.wrapping import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

_ROWS: dict[str, tuple[str, str, Any]] = {
    # `wsgi_app`, for the program may have put a middleware of its own in its place.
    "flask.app": ("Flask", "wsgi_app", served.wrap),
    "django.core.handlers.wsgi": ("WSGIHandler", "__call__", served.wrap),
    "django.core.handlers.asgi": ("ASGIHandler", "__call__", served.wrap_asgi),
    "starlette.applications": ("Starlette", "__call__", served.wrap_asgi),  # FastAPI is one
    "aiohttp.web_protocol": ("RequestHandler", "_handle_request", served.wrap_async),
    "tornado.web": ("RequestHandler", "_execute", served.wrap_async),
    "http.server": ("BaseHTTPRequestHandler", "handle_one_request", served.wrap_http_server),
    # Servers, for applications that none of the above knows.
    "uvicorn.protocols.http.h11_impl": ("RequestResponseCycle", "run_asgi", served.wrap_async),
    "uvicorn.protocols.http.httptools_impl": ("RequestResponseCycle", "run_asgi", served.wrap_async),
    "gunicorn.workers.sync": ("SyncWorker", "handle_request", served.wrap),
    "gunicorn.workers.gthread": ("ThreadWorker", "handle_request", served.wrap),
    "gunicorn.workers.base_async": ("AsyncWorker", "handle_request", served.wrap),
}


def install(name: str, module: ModuleType) -> None:
    """Wraps what `module`, imported as `name`, has for us."""
    if name == "grpc._server":
        # Where a handler runs, and for a stream all of it.
        replace(module, "_unary_response_in_pool", served.wrap)
        replace(module, "_stream_response_in_pool", served.wrap)
        return
    owner, function, make = _ROWS[name]
    replace(getattr(module, owner), function, make)
