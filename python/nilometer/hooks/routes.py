"""What a request was of, in the words of its framework: `POST`, `/items/<int:id>`.

In: the arguments of the functions that serve requests, or that find their routes. Out: method, and route or
path.
Never: a request that is kept, its query or its body.
"""

from __future__ import annotations

from nilometer.hooks import served
from nilometer.hooks.wrapping import forget_frame

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Args = tuple[Any, ...]
    Told = tuple[str, str, bool]


def of_environ(args: Args, kwargs: dict[str, Any]) -> Told:
    """Of an application that was called by WSGI."""
    environ = args[1] if len(args) > 1 else kwargs["environ"]
    path = environ.get("SCRIPT_NAME", "") + environ.get("PATH_INFO", "")
    return environ["REQUEST_METHOD"], path, False


def of_scope(args: Args, _kwargs: dict[str, Any]) -> Told:
    """Of an application that was called by ASGI."""
    scope = args[1]
    return scope["method"], scope["path"], False


def of_run(args: Args, _kwargs: dict[str, Any]) -> Told:
    """Of what uvicorn runs."""
    scope = args[0].scope
    return scope["method"], scope["path"], False


def of_gunicorn(args: Args, _kwargs: dict[str, Any]) -> Told:
    """Of what a worker of gunicorn handles: the request is one of the first arguments, by kind of worker."""
    request = next(one for one in args[1:4] if hasattr(one, "method") and hasattr(one, "path"))
    return request.method, request.path, False


def of_handler(args: Args, _kwargs: dict[str, Any]) -> Told:
    """Of a handler of tornado."""
    request = args[0].request
    return request.method, request.path, False


def of_aiohttp(args: Args, _kwargs: dict[str, Any]) -> Told:
    """Of a request of aiohttp, which knows its resource once it was handled."""
    request = args[1]
    match = getattr(request, "match_info", None)
    if match is None:
        return request.method, request.path, False
    resource = match.route.resource
    return request.method, served.NO_ROUTE if resource is None else resource.canonical, True


def of_rpc(args: Args, _kwargs: dict[str, Any]) -> Told:
    """Of a call of gRPC."""
    method = args[0].call_details.method
    return "gRPC", method.decode() if isinstance(method, bytes) else method, True


def of_starlette(scope: dict[str, Any]) -> tuple[object, object]:
    """What the routers of Starlette left in the scope; FastAPI's are some."""
    method, route, root = scope.get("method"), scope.get("route"), scope.get("root_path", "")
    path = getattr(route, "path_format", None) or getattr(route, "path", None)
    if not root and path is not None:  # nearly all: this is a part of every request
        return method, path
    # What lies above an application that is mounted into another, but not what a proxy put before both.
    outer = scope.get("app_root_path", "")
    above = root[len(outer) :] if root.startswith(outer) else ""
    if above and path in (None, above):
        return method, above + "/*"
    if isinstance(path, str):
        return method, above + path
    return method, served.NO_ROUTE if "router" in scope and "endpoint" not in scope else None


def tell_flask(self: Any, /, *_args: Any, **_kwargs: Any) -> None:
    """After the method that finds the rule of a request."""
    served.tell_route(_of_flask, self)


def _of_flask(context: Any) -> tuple[object, object]:
    request = context.request
    rule = getattr(request.url_rule, "rule", None)
    return request.method, served.NO_ROUTE if rule is None else request.environ.get("SCRIPT_NAME", "") + rule


def wrap_django(original: Any) -> Any:
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
