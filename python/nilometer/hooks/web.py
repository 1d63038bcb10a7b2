"""What is wrapped in web frameworks and servers. Which function serves one request, and how it is called.

In: one of their modules that was just imported. Out: its function wrapped.
Never: a middleware among the program's own, or a changed application.
"""

from __future__ import annotations

from nilometer.hooks import routes, served
from nilometer.hooks.wrapping import replace, wrap_then

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

_ROWS: dict[str, tuple[str, str, Any]] = {
    # `wsgi_app`, for the program may have put a middleware of its own in its place.
    "flask.app": ("Flask", "wsgi_app", served.wrap(routes.of_environ)),
    "django.core.handlers.wsgi": ("WSGIHandler", "__call__", served.wrap(routes.of_environ)),
    "django.core.handlers.asgi": ("ASGIHandler", "__call__", served.wrap_asgi(routes.of_scope)),
    "starlette.applications": (  # FastAPI is one
        "Starlette",
        "__call__",
        served.wrap_asgi(routes.of_scope, routes.of_starlette),
    ),
    "aiohttp.web_protocol": ("RequestHandler", "_handle_request", served.wrap_async(routes.of_aiohttp)),
    "tornado.web": ("RequestHandler", "_execute", served.wrap_async(routes.of_handler)),
    "http.server": ("BaseHTTPRequestHandler", "handle_one_request", served.wrap_http_server),
    # Servers, for applications that none of the above knows.
    "uvicorn.protocols.http.h11_impl": ("RequestResponseCycle", "run_asgi", served.wrap_async(routes.of_run)),
    "uvicorn.protocols.http.httptools_impl": (
        "RequestResponseCycle",
        "run_asgi",
        served.wrap_async(routes.of_run),
    ),
    "gunicorn.workers.sync": ("SyncWorker", "handle_request", served.wrap(routes.of_gunicorn)),
    "gunicorn.workers.gthread": ("ThreadWorker", "handle_request", served.wrap(routes.of_gunicorn)),
    "gunicorn.workers.base_async": ("AsyncWorker", "handle_request", served.wrap(routes.of_gunicorn)),
}


def install(name: str, module: ModuleType) -> None:
    """Wraps what `module`, imported as `name`, has for us."""
    if name == "grpc._server":
        # Where a handler runs, and for a stream all of it.
        replace(module, "_unary_response_in_pool", served.wrap(routes.of_rpc))
        replace(module, "_stream_response_in_pool", served.wrap(routes.of_rpc))
    elif name == "flask.ctx":
        for context in ("RequestContext", "AppContext"):  # one of them matches, by version
            owner = vars(module).get(context)
            if isinstance(owner, type):
                replace(owner, "match_request", wrap_then(routes.tell_flask), needed=False)
    elif name == "django.core.handlers.base":
        replace(module.BaseHandler, "resolve_request", routes.wrap_django, needed=False)
    else:
        owner, function, make = _ROWS[name]
        replace(getattr(module, owner), function, make)
