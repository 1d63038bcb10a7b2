"""What is wrapped in gRPC: where a handler runs, and for a stream all of it.

In: the module of one of its servers. Out: one cycle per call, with its method.
Never: a look at what was sent or answered, or a frame among those of the server.
"""

from __future__ import annotations

from _contextvars import ContextVar

from nilometer.hooks import served
from nilometer.hooks.wrapping import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

# What an asyncio server runs a handler in, by whether requests and answers are streams.
_KINDS = ("unary_unary", "unary_stream", "stream_unary", "stream_stream")

# Each call has a context of its own there. Without a value, the call counts without a name.
_method: ContextVar[str] = ContextVar("nilometer_grpc_method")


def install(name: str, module: ModuleType) -> None:
    """Wraps what `module`, imported as `name`, runs a handler in."""
    if name == "grpc.aio._server":
        _install_asyncio(module.cygrpc)
        return
    replace(module, "_unary_response_in_pool", served.wrap(_about))
    replace(module, "_stream_response_in_pool", served.wrap(_about))


def _install_asyncio(core: Any) -> None:
    """The functions that run a handler are not told its method; the one that finds the handler is."""
    replace(core, "_find_method_handler", _find)
    for kind in _KINDS:
        replace(core, f"_handle_{kind}_rpc", served.wrap_async(_about_asyncio))


def _find(original: Any) -> Any:
    # No coroutine of ours around the original one: its interceptors' tracebacks need no care.
    def find(method: str, *args: Any, **kwargs: Any) -> Any:
        _method.set(method)
        return original(method, *args, **kwargs)

    return find


def _about(args: tuple[Any, ...], _kwargs: dict[str, Any]) -> tuple[str, str, bool]:
    method = args[0].call_details.method
    return "gRPC", method.decode() if isinstance(method, bytes) else method, True


def _about_asyncio(_args: tuple[Any, ...], _kwargs: dict[str, Any]) -> tuple[str, str, bool]:
    return "gRPC", _method.get(), True
