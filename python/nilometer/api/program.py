"""What ran: the program, the processes that it started, its memory over time.

Sizes are bytes, times are seconds since the program's start. `None` is what could not be known.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from nilometer.api.growth import Interval

Verdict = Literal["leak", "no_leak", "undecided"]


@dataclass(frozen=True)
class Exit:
    """How the program ended."""

    code: int | None
    signal: int | None
    oom_killed: bool
    limit: Literal["cgroup", "ram", "rlimit"] | None


@dataclass(frozen=True)
class Attached:
    """What there was before `nilometer attach`: nobody saw what made these bytes."""

    uptime_seconds: float
    resident_bytes: int | None


@dataclass(frozen=True)
class Program:
    """What ran. `exit` is `None` while it runs, `attached` where the recording began with the program."""

    name: str
    argv: tuple[str, ...]
    python: str | None
    frameworks: Mapping[str, str] = field(hash=False)
    pid: int | None
    seconds: float
    exit: Exit | None
    attached: Attached | None = None


@dataclass(frozen=True)
class Lives:
    """Workers that serve requests or tasks and replace each other: what their lives say together."""

    count: int
    judged: int
    unit: str
    seconds: float
    cycles: int
    bytes_per_cycle: Interval
    bytes_per_life: int


@dataclass(frozen=True)
class Culprit:
    """The process that makes the verdict a leak, where that is not the program itself."""

    pid: int
    role: str
    bytes_per_cycle: Interval | None
    bytes_per_minute: Interval | None
    rate: str
    of: int
    growing: int


@dataclass(frozen=True)
class Job:
    """Whose memory the verdict is about; `program` is the verdict on the program's own process.

    `culprit` or `device` is what makes it a leak, where that is not the program itself.
    """

    program: Verdict
    culprit: Culprit | None
    lives: Lives | None = None
    device: str | None = None


@dataclass(frozen=True)
class DeviceGrowth:
    """Growth of the memory in use on a device; its unit may be coarser than the program's."""

    bytes_per_cycle: Interval
    unit: str
    cycles_left: int | None


@dataclass(frozen=True)
class DeviceOthers:
    """What processes outside of the run have of a device; with `is_at_most` they may have less."""

    bytes: int
    is_at_most: bool
    sentence: str | None


@dataclass(frozen=True)
class Device:
    """What one framework has of one device, and whether what is in use on it grows."""

    name: str
    framework: Literal["TensorFlow", "PyTorch", "JAX"]
    verdict: Verdict
    reason: str
    in_use_bytes: int
    peak_bytes: int
    reserved_bytes: int | None
    limit_bytes: int | None
    growth: DeviceGrowth | None
    total_bytes: int | None = None
    others: DeviceOthers | None = None
    others_unknown: str | None = None


@dataclass(frozen=True)
class Process:
    """A process that the program started, as seen from outside."""

    pid: int
    role: str
    first_bytes: int
    last_bytes: int
    peak_bytes: int
    bytes_per_minute: int | None
    private_bytes: int | None = None
    turned_private_bytes: int | None = None


@dataclass(frozen=True)
class Memory:
    """Levels at the end, and the limit that would be met first."""

    peak_bytes: int | None
    live_bytes: int | None
    anonymous_bytes: int | None
    limit: Literal["cgroup", "ram"] | None
    limit_bytes: int | None
    headroom_bytes: int | None


@dataclass(frozen=True)
class TimelinePoint:
    """One point of the memory curve; `cycle` counts the cycles that had ended."""

    seconds: float
    cycle: int
    live_bytes: int | None
    anonymous_bytes: int | None
    file_bytes: int | None
