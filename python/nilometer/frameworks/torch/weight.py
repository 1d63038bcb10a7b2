"""What a tensor or a module of PyTorch weighs in the memory of the machine.

In: a value. Out: bytes, nothing for what lies on a device, or None for a value of another kind.
Never: a look at the values of a tensor.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def weigh(value: Any) -> int | None:
    """Bytes of its storage, or of a module's parameters and buffers."""
    torch = sys.modules["torch"]
    if isinstance(value, torch.nn.Module):
        return sum(weigh(one) or 0 for one in (*value.parameters(), *value.buffers()))
    if not isinstance(value, torch.Tensor):
        return None
    return int(value.untyped_storage().nbytes()) if value.device.type == "cpu" else 0
