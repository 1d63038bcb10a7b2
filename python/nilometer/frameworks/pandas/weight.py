"""What a frame, a column or an index of pandas weighs.

In: a value. Out: bytes, or None for a value of another kind.
Never: a look into the objects of a column.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def weigh(value: Any) -> int | None:
    """Bytes of what says how much it uses."""
    usage = getattr(value, "memory_usage", None)
    if usage is None:
        return None
    size = usage(index=True) if type(value).__name__ != "Index" else usage()
    return int(size.sum() if hasattr(size, "sum") else size)
