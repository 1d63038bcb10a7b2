"""What TensorFlow's allocators of GPUs have in use, have had at most, and took when they began.

In: the module of TensorFlow that has its eager context, as the program has set it up. Out: bytes, summed over
the GPUs; 0 without one. Never: a context that is set up by a look, an allocation on a device, or a wait.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# The processor has such an allocator too: tests have no GPU, and look at that one.
_KIND = "GPU"
_WRAPPED = "tensorflow.python._pywrap_tfe"
_SESSION = "tensorflow.python.client._pywrap_tf_session"

_limits: int | None = None


def in_use(eager: dict[str, Any]) -> int:
    return _sum(eager, "current")


def peak(eager: dict[str, Any]) -> int:
    return _sum(eager, "peak")


def reserved(eager: dict[str, Any]) -> int:
    """Bytes that the pools took as one piece at their first allocation; 0 where they grow as they need."""
    global _limits
    if not _gpus(eager) or _grows(eager["_context"]) or not in_use(eager):
        return 0
    if _limits is None:  # they are said once, with the device
        _limits = _limits_of(eager["_context"])
    return _limits


def _gpus(eager: dict[str, Any]) -> list[str]:
    context = eager["_context"]
    if context is None or not context._initialized:
        return []
    # Those of other processes of a cluster have a job in their names.
    return [device.name for device in context._logical_devices or ()
            if device.device_type == _KIND and "/job:" not in device.name]  # fmt: skip


def _sum(eager: dict[str, Any], key: str) -> int:
    names = _gpus(eager)
    if not names:
        return 0
    info = vars(sys.modules[_WRAPPED])["TFE_GetMemoryInfo"]
    handle = eager["_context"]._context_handle
    return sum(info(handle, name)[key] for name in names)


def _grows(context: Any) -> bool:
    """Whether a pool takes memory as it needs it, or is none of TensorFlow's own kind."""
    if os.environ.get("TF_FORCE_GPU_ALLOW_GROWTH", "").lower() in ("1", "true"):
        return True
    if os.environ.get("TF_GPU_ALLOCATOR"):
        return True
    return any((context._memory_growth_map or {}).values())


def _limits_of(context: Any) -> int:
    wrapped, session = vars(sys.modules[_WRAPPED]), vars(sys.modules[_SESSION])
    devices = wrapped["TFE_ContextListDevices"](context._context_handle)
    try:
        count: int = wrapped["TF_DeviceListCount"](devices)
        return sum(session["TF_DeviceListMemoryBytes"](devices, nth) for nth in range(count)
                   if wrapped["TF_DeviceListType"](devices, nth) == _KIND
                   and "/job:localhost/" in wrapped["TF_DeviceListName"](devices, nth))  # fmt: skip
    finally:
        wrapped["TF_DeleteDeviceList"](devices)
