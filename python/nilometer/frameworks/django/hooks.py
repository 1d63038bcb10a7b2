"""What is wrapped in Django: where one request is served, and where its view is found.

In: one of Django's modules that was just imported. Out: one cycle per request, with its route.
Never: a middleware among the program's own, a changed application, or a request that is kept.
"""

from __future__ import annotations

from nilometer.hooks import served
from nilometer.hooks.wrapping import forget_frame, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any


def install(name: str, module: ModuleType) -> None:
    """Wraps what `module`, imported as `name`, has for us."""
    kind = name.rpartition(".")[2]
    if kind == "wsgi":
        replace(module.WSGIHandler, "__call__", served.wrap(served.of_environ))
    elif kind == "asgi":
        replace(module.ASGIHandler, "__call__", served.wrap_asgi(served.of_scope))
    else:
        replace(module.BaseHandler, "resolve_request", _resolve, needed=False)


def _resolve(original: Any) -> Any:
    """A wrapper of the method that finds the view of a request."""

    def resolve_request(self: Any, request: Any, /, *args: Any, **kwargs: Any) -> Any:
        route: object = served.NO_ROUTE
        try:
            match = original(self, request, *args, **kwargs)
            route = getattr(match, "route", None)
            return match
        except BaseException as error:
            forget_frame(error)
            raise
        finally:
            served.tell_route(lambda: (request.method, route))

    return resolve_request
