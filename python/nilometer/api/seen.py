"""What was seen beside the verdict: holders at the last look, samples, counts, objects, phases, traces.

Sizes are bytes, times are seconds since the program's start. `None` is what could not be known.
"""

from __future__ import annotations

from dataclasses import dataclass

from nilometer.api.findings import Holder


@dataclass(frozen=True)
class Held:
    """Who held how much at the last look; the bytes are estimated from samples."""

    holder: Holder
    live_bytes: int


@dataclass(frozen=True)
class LostSamples:
    """Samples that were lost for one cause. `notable`: 1 % of all samples or more. `change`: what to do."""

    cause: str
    count: int
    what: str
    change: str
    notable: bool


@dataclass(frozen=True)
class Sampling:
    """What the recorder of allocations saw. `credited` is the share with a line or a named part.

    Means are bytes between two samples: asked for, finest and coarsest. `cost` is a share of CPU time.
    """

    samples: int
    dropped: int
    lost: tuple[LostSamples, ...]
    live_bytes: int
    credited: float | None
    asked_mean: int | None
    finest_mean: int | None
    coarsest_mean: int | None
    cost: float | None


@dataclass(frozen=True)
class Probe:
    """A count of a framework's own things; `per_cycle` is `None` with too few cycles."""

    name: str
    first: int
    last: int
    per_cycle: float | None


@dataclass(frozen=True)
class Look:
    """A look at the heap; `cycle` counts the cycles that had ended."""

    seconds: float
    cycle: int


@dataclass(frozen=True)
class TypeCounts:
    """How many objects of a type there were, one count for each look."""

    name: str
    counts: tuple[int | None, ...]


@dataclass(frozen=True)
class Objects:
    """Objects that Python's collector tracks, by type; those that became more first."""

    looks: tuple[Look, ...]
    types: tuple[TypeCounts, ...]


@dataclass(frozen=True)
class Retraced:
    """A function that TensorFlow traced again and again; `why` says what differed the last time."""

    function: str
    file: str
    line: int
    caller_file: str
    caller_line: int
    traces: int
    per_cycle: float
    why: str


@dataclass(frozen=True)
class Phase:
    """A stretch of the program; `program` is outside of all phases."""

    name: str
    begin_seconds: float
    end_seconds: float


@dataclass(frozen=True)
class PhaseTotal:
    """What a phase took in all; `bytes` is the change of live memory that is known to have come in it."""

    name: str
    times: int
    seconds: float
    bytes: int
