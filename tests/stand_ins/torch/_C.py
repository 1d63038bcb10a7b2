"""What the allocator of the device says, by the calls that PyTorch has for it."""

used = peak = 0
reserved = 2 << 20
too_early = 0


def take(size):
    global used, peak, reserved
    used += size
    peak, reserved = max(peak, used), max(reserved, used)


def _cuda_getDeviceCount():
    return 1


def _cuda_memoryStats(device):
    global too_early
    from torch import cuda

    too_early += not cuda._initialized

    def of(current, peak):
        return {"all": {"current": current, "peak": peak}}

    return {"allocated_bytes": of(used, peak), "reserved_bytes": of(reserved, reserved)}
