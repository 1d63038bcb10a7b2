"""Whether this process trains together with others: then it must not stop alone.

In: a model. Out: how it trains together, in words, or none.
Never: an import; a strategy that only uses several devices of one process is no reason.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def trains_with(model: Any) -> str | None:
    """What ties this process to others; None where it trains alone."""
    strategy = getattr(model, "distribute_strategy", None)
    try:
        if strategy is not None and strategy.extended._in_multi_worker_mode():
            return type(strategy).__name__
    except AttributeError:
        pass
    torch = sys.modules.get("torch.distributed")
    if torch is not None and torch.is_available() and torch.is_initialized() and torch.get_world_size() > 1:
        return f"torch.distributed with {torch.get_world_size()} processes"
    return None
