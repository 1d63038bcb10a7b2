"""Makers of wrappers around functions that serve one request of a client.

In: functions of web frameworks, and of the servers below them. Out: one cycle per request, where the
outermost function that is known ends.
Never: two cycles for one request (Flask under an ASGI application under uvicorn), a cycle for a websocket or
the lifespan of a server, or a look at what was asked or answered.
"""

from __future__ import annotations

from _contextvars import ContextVar

from nilometer.hooks import marks, probes
from nilometer.hooks.wrapping import forget_frame

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class _Request:
    """A request that is being served; tasks that it starts inherit it, and may outlive it."""

    __slots__ = ("open",)

    def __init__(self) -> None:
        self.open = True


# Of the context and not of the thread: it goes along where a framework hands the request to another thread.
_current: ContextVar[_Request | None] = ContextVar("nilometer_request", default=None)


def begin() -> _Request | None:
    """The request that begins here, or None inside of one."""
    around = _current.get()
    if around is not None and around.open:
        return None
    request = _Request()
    _current.set(request)
    return request


def end(request: _Request | None, counts: bool = True) -> None:
    """What began has ended."""
    if request is not None:
        request.open = False
        if counts:
            probes.cycle(marks.SERVED)


def wrap(original: Any) -> Any:
    """A wrapper of a function that serves one request."""

    def call(*args: Any, **kwargs: Any) -> Any:
        request = begin()
        try:
            return original(*args, **kwargs)
        except BaseException as error:
            forget_frame(error)
            raise
        finally:
            end(request)

    return call


def wrap_async(original: Any) -> Any:
    """A wrapper of a coroutine function that serves one request."""

    async def call(*args: Any, **kwargs: Any) -> Any:
        request = begin()
        try:
            return await original(*args, **kwargs)
        except BaseException as error:
            forget_frame(error)
            raise
        finally:
            end(request)

    return call


def wrap_asgi(original: Any) -> Any:
    """A wrapper of the `__call__` of an ASGI application, which is also called for other things."""

    async def call(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        request = begin() if _is_http(args, kwargs) else None
        try:
            return await original(self, *args, **kwargs)
        except BaseException as error:
            forget_frame(error)
            raise
        finally:
            end(request)

    return call


def _is_http(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    scope = args[0] if args else kwargs.get("scope")
    return isinstance(scope, dict) and scope.get("type") == "http"


def wrap_http_server(original: Any) -> Any:
    """A wrapper of `handle_one_request` of Python's own server, which also waits for the request."""

    def handle_one_request(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        before = getattr(self, "raw_requestline", None)
        request = begin()
        try:
            return original(self, *args, **kwargs)
        except BaseException as error:
            forget_frame(error)
            raise
        finally:
            # A client that went away, or sent nothing in time, leaves no line or the last one.
            line = getattr(self, "raw_requestline", None)
            end(request, counts=bool(line) and line is not before)

    return handle_one_request
