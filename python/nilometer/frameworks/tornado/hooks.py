"""What is wrapped in Tornado: where a handler runs.

In: the module of its handlers. Out: one cycle per request, with its path.
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
    replace(module.RequestHandler, "_execute", served.wrap_async(_about))


def _about(args: tuple[Any, ...], _kwargs: dict[str, Any]) -> tuple[str, str, bool]:
    request = args[0].request
    return request.method, request.path, False
