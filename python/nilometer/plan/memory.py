"""The memory of this process: its highest resident size since the last time it was asked for.

In: files of the kernel. Out: bytes. Never: an exception, or a child process.
"""

from __future__ import annotations

_KEYS = ("VmHWM", "RssFile", "RssShmem")
_KIB = 1024
_reset_works = True


def reset_works() -> bool:
    """Whether the kernel lets the highest size be set back: else all peaks are those since the start."""
    return _reset_works


def taken() -> dict[str, int]:
    """`VmHWM`, `RssFile`, `RssShmem` of now, in bytes; what the kernel does not tell is not there."""
    found = {}
    try:
        with open("/proc/self/status", encoding="ascii", errors="replace") as status:
            for line in status:
                key, _, value = line.partition(":")
                if key in _KEYS:
                    found[key] = int(value.split()[0]) * _KIB
    except (OSError, ValueError, IndexError):
        pass
    return found


def peak() -> int:
    """The highest resident size since the last call; from here on it is counted anew."""
    global _reset_works
    highest = taken().get("VmHWM", 0)
    try:
        with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
            file.write("5")  # the number for the highest resident size, from Linux 4.0 on
    except OSError:
        _reset_works = False
    return highest
