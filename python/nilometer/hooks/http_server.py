"""What is wrapped in Python's own server of HTTP.

In: the module `http.server`. Out: one cycle per request, with its path.
Never: a cycle for a client that went away, or that sent nothing in time.
"""

from __future__ import annotations

from nilometer.hooks.served import begin, end
from nilometer.hooks.wrapping import forget_frame, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any


def install(name: str, module: ModuleType) -> None:
    """Wraps the method that serves one request."""
    replace(module.BaseHTTPRequestHandler, "handle_one_request", _wrap)


def _wrap(original: Any) -> Any:
    """A wrapper of the method, which also waits for the request."""

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
            if line and line is not before:
                end(request, lambda args, _: (args[0].command, args[0].path, False), (self,), kwargs)
            elif request is not None:
                request.open = False

    return handle_one_request
