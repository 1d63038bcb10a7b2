"""What the memory is and who keeps it: findings with their places and holders, components, warnings.

Sizes are bytes. `None` is what could not be known.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from nilometer.api.growth import Interval


@dataclass(frozen=True)
class Site:
    """A place in the program. `line` is 0 for machine code, `text` the line's source."""

    role: Literal["kept_at", "made_at", "called_at"]
    file: str
    line: int
    function: str
    bytes_per_cycle: int
    text: str | None = None
    inside: str | None = None


@dataclass(frozen=True)
class Holder:
    """Who keeps memory: a path from a root that a person knows."""

    owner: str
    path: str
    kind: str
    elements: str
    length: int | None
    per_cycle: float | None
    role: str | None = None
    file: str | None = None
    counted_at: int | None = None
    bound: int | None = None
    share: float | None = None


@dataclass(frozen=True)
class Frame:
    """A frame of a stack. `line` is 0 if there is none."""

    kind: Literal["user", "library", "standard", "native", "cut"]
    file: str
    line: int
    function: str


@dataclass(frozen=True)
class Finding:
    """A claim about the cause of a growth, with its evidence.

    `cause` names a page in `docs/causes`. `prove` is the command that proves the change. `process` is a pid
    where the finding is about a process that the program started; `device` names a device, where it is about
    one.
    """

    cause: str
    confidence: Literal["certain", "likely", "possible"]
    sentence: str
    holder: Holder | None
    sites: tuple[Site, ...]
    bytes_per_cycle: Interval
    phase: str | None
    change: str | None
    prove: str | None
    also_held_by: tuple[Holder, ...] = ()
    part: str | None = None
    cycles_seen: int = 0
    stack: tuple[Frame, ...] = ()
    process: int | None = None
    device: str | None = None


@dataclass(frozen=True)
class Component:
    """A part of the memory curve."""

    kind: Literal["growing", "filling", "one-time", "retained", "sawtooth", "reserved", "file-backed"]
    phase: str | None
    bytes: int
    bytes_per_cycle: int | None
    sentence: str
    made_at: Site | None = None
    change: str | None = None
    prove: str | None = None


@dataclass(frozen=True)
class NextStep:
    """A command that would tell more, and why."""

    command: str
    why: str


@dataclass(frozen=True)
class Warning:
    """Something that the verdict is not about; `docs/warnings.md` explains each."""

    name: str
    about: Literal["training", "gpu-memory"]
    sentence: str
    called_at: Site | None
    change: str
