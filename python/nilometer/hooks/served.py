"""Makers of wrappers around functions that serve one request of a client.

In: functions of web frameworks, and of the servers below them. Out: one cycle per request with the route
that the innermost framework found, where the outermost function that is known ends.
Never: two cycles for one request (Flask under an ASGI application under uvicorn), a cycle for a websocket or
the lifespan of a server, or a look at what was sent or answered.
"""

from __future__ import annotations

from _contextvars import ContextVar

from nilometer.hooks import marks, probes
from nilometer.hooks.wrapping import forget_frame

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    # From the arguments of a call that serves a request: its method, the path, and whether that is a route.
    About = Callable[[tuple[Any, ...], dict[str, Any]], tuple[str, str, bool]]


class _Request:
    """A request that is being served; tasks that it starts inherit it, and may outlive it."""

    # Of the class: a constructor in Python would be a call more for each request.
    open = True
    method = ""
    route: str | None = None


# Of the context and not of the thread: it goes along where a framework hands the request to another thread.
_current: ContextVar[_Request | None] = ContextVar("nilometer_request", default=None)

NO_ROUTE = "(no route)"


def begin() -> _Request | None:
    """The request that begins here, or None inside of one."""
    around = _current.get()
    if around is not None and around.open:
        return None
    request = _Request()
    _current.set(request)
    return request


def tell_route(find: Callable[..., tuple[object, object]], *args: Any) -> None:
    """A framework found the route of the request that is being served. The first to say so is the innermost.

    `find` gives method and route of these arguments; what it raises in a version that we do not know is
    nobody's business.
    """
    request = _current.get()
    if request is not None and request.open and request.route is None:
        _route(request, find, *args)


def _route(request: _Request, find: Callable[..., tuple[object, object]], *args: Any) -> None:
    try:
        method, route = find(*args)
    except Exception:
        return
    if isinstance(method, str) and isinstance(route, str):
        request.method, request.route = method, route


def end(request: _Request | None, about: About, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """What began has ended; `about` tells what it was where no framework did."""
    if request is None:
        return
    request.open = False
    if request.route is not None:
        probes.served(request.method, request.route, True)
        return
    try:
        method, place, is_route = about(args, kwargs)
    except Exception:  # a server of another version
        probes.cycle(marks.SERVED)
        return
    probes.served(method, place, is_route)


def of_environ(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[str, str, bool]:
    """Of an application that was called by WSGI."""
    environ = args[1] if len(args) > 1 else kwargs["environ"]
    path = environ.get("SCRIPT_NAME", "") + environ.get("PATH_INFO", "")
    return environ["REQUEST_METHOD"], path, False


def of_scope(args: tuple[Any, ...], _kwargs: dict[str, Any]) -> tuple[str, str, bool]:
    """Of an application that was called by ASGI."""
    scope = args[1]
    return scope["method"], scope["path"], False


def wrap(about: About) -> Callable[[Any], Any]:
    """A maker of wrappers of a function that serves one request."""

    def make(original: Any) -> Any:
        def call(*args: Any, **kwargs: Any) -> Any:
            request = begin()
            try:
                return original(*args, **kwargs)
            except BaseException as error:
                forget_frame(error)
                raise
            finally:
                end(request, about, args, kwargs)

        return call

    return make


def wrap_async(about: About) -> Callable[[Any], Any]:
    """A maker of wrappers of a coroutine function that serves one request."""

    def make(original: Any) -> Any:
        async def call(*args: Any, **kwargs: Any) -> Any:
            request = begin()
            try:
                return await original(*args, **kwargs)
            except BaseException as error:
                forget_frame(error)
                raise
            finally:
                end(request, about, args, kwargs)

        return call

    return make


def wrap_asgi(about: About, find: Callable[..., tuple[object, object]] | None = None) -> Callable[[Any], Any]:
    """A maker of wrappers of the `__call__` of an ASGI application, which is also called for other things.

    `find` gives the route that its framework left in the scope.
    """

    def make(original: Any) -> Any:
        async def call(self: Any, /, *args: Any, **kwargs: Any) -> Any:
            scope = args[0] if args else kwargs.get("scope")
            is_http = isinstance(scope, dict) and scope.get("type") == "http"
            request = begin() if is_http else None
            try:
                return await original(self, *args, **kwargs)
            except BaseException as error:
                forget_frame(error)
                raise
            finally:
                if request is not None:
                    if find is not None and request.route is None:
                        _route(request, find, scope)
                    end(request, about, (self, scope), kwargs)
                elif is_http and find is not None:
                    tell_route(find, scope)

        return call

    return make
