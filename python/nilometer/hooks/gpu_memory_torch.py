"""What PyTorch's allocators of GPUs have in use, have had at most, and hold.

In: the module `torch.cuda`, as the program has set it up. Out: bytes, summed over the GPUs; 0 without one.
Never: a GPU that is set up by a look, an allocation on a device, or a wait.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def in_use(cuda: dict[str, Any]) -> int:
    return _sum(cuda, "allocated_bytes", "current")


def peak(cuda: dict[str, Any]) -> int:
    return _sum(cuda, "allocated_bytes", "peak")


def reserved(cuda: dict[str, Any]) -> int:
    """Bytes that the allocators hold: tensors, and freed ones that they keep for the next."""
    return _sum(cuda, "reserved_bytes", "current")


def _sum(cuda: dict[str, Any], name: str, key: str) -> int:
    # After a fork the child has the figures, and no device.
    if not cuda["is_initialized"]():
        return 0
    stats, devices = cuda["torch"]._C._cuda_memoryStats, cuda["torch"]._C._cuda_getDeviceCount()
    return sum(stats(device)[name]["all"][key] for device in range(devices))
