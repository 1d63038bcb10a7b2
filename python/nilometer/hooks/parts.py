"""What a function was called with, as plain words and numbers: the form in which frameworks' hooks tell it.

In: Python's own scalars, sizes of tensors. Out: their texts.
Never: the program's own objects: of those only the type's name is told.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

# What a part can be; the rest of its tuple is, in this order:
TENSOR = "tensor"  # shape, dtype
SCALAR = "scalar"  # the value's text, the type's name
NONE = "none"
OBJECT = "object"  # the type's name, which one
GROUP = "group"  # the kind of container, how many, which keys

Part = tuple[str, ...]
Parts = dict[str, Part]

MAX_PARTS = 128
MAX_DEPTH = 6
SCALARS = (bool, int, float, complex, str, bytes)
_LONGEST_VALUE = 40


def text(value: Any) -> str:
    """A scalar's value, cut where it is long; of anything else the type's name."""
    if type(value) in (str, bytes):
        return repr(value[:_LONGEST_VALUE]) + ("..." if len(value) > _LONGEST_VALUE else "")
    return repr(value)[:_LONGEST_VALUE] if type(value) in SCALARS else type(value).__name__


def shape(sides: Iterable[object]) -> str:
    """The sides of a tensor, as Python writes a tuple."""
    sizes = [str(size) for size in sides]
    return f"({sizes[0]},)" if len(sizes) == 1 else f"({', '.join(sizes)})"
