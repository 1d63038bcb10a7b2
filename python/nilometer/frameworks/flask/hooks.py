"""What is wrapped in Flask: where one request is served, and where its rule is found.

In: one of Flask's modules that was just imported. Out: one cycle per request, with its rule.
Never: a middleware among the program's own, a changed application, or a request that is kept.
"""

from __future__ import annotations

from nilometer.hooks import served
from nilometer.hooks.wrapping import replace, wrap_then

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any


def install(name: str, module: ModuleType) -> None:
    """Wraps what `module`, imported as `name`, has for us."""
    if name == "flask.app":
        # `wsgi_app`, for the program may have put a middleware of its own in its place.
        replace(module.Flask, "wsgi_app", served.wrap(served.of_environ))
        return
    for context in ("RequestContext", "AppContext"):  # one of them matches, by version
        owner = vars(module).get(context)
        if isinstance(owner, type):
            replace(owner, "match_request", wrap_then(_tell), needed=False)


def _tell(self: Any, /, *_args: Any, **_kwargs: Any) -> None:
    """After the method that finds the rule of a request."""
    served.tell_route(_rule, self)


def _rule(context: Any) -> tuple[object, object]:
    request = context.request
    rule = getattr(request.url_rule, "rule", None)
    return request.method, served.NO_ROUTE if rule is None else request.environ.get("SCRIPT_NAME", "") + rule
