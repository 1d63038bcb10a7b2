"""What JAX's allocators of devices have in use, have had at most, and took when they began.

In: the module that has JAX's backends, as the program has set them up. Out: bytes, summed over the devices of
this process; 0 where there is only the processor.
Never: a backend that is set up by a look, or a wait.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_PROCESSOR = "cpu"


def in_use(bridge: dict[str, Any]) -> int:
    return _sum(bridge, "bytes_in_use")


def peak(bridge: dict[str, Any]) -> int:
    return _sum(bridge, "peak_bytes_in_use")


def reserved(bridge: dict[str, Any]) -> int:
    """Bytes of the pools, which take most of a device at their first allocation."""
    return _sum(bridge, "pool_bytes")


def _sum(bridge: dict[str, Any], key: str) -> int:
    backends = [one for one in bridge["_backends"].values() if one.platform != _PROCESSOR]
    stats = [device.memory_stats() or {} for backend in backends for device in backend.local_devices()]
    return sum(one.get(key, 0) for one in stats)
