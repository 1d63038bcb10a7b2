"""What is wrapped in gRPC: where a handler runs, and for a stream all of it.

In: the module of its server. Out: one cycle per call, with its method.
Never: a look at what was sent or answered.
"""

from __future__ import annotations

from nilometer.hooks import served
from nilometer.hooks.wrapping import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any


def install(name: str, module: ModuleType) -> None:
    """Wraps what runs a handler in the server's pool."""
    replace(module, "_unary_response_in_pool", served.wrap(_about))
    replace(module, "_stream_response_in_pool", served.wrap(_about))


def _about(args: tuple[Any, ...], _kwargs: dict[str, Any]) -> tuple[str, str, bool]:
    method = args[0].call_details.method
    return "gRPC", method.decode() if isinstance(method, bytes) else method, True
