"""How memory grows: cycles, growth with its interval, the forecast.

Sizes are bytes, times are seconds. `None` is what could not be known.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Interval:
    """An estimate with its 95 % interval, in bytes."""

    estimate: int
    low: int
    high: int


@dataclass(frozen=True)
class Growth:
    """Growth of live memory, without garbage that a collection takes back.

    `since_cycle` is the first cycle that counts. `explained` is the share of it that findings account for.
    """

    bytes_per_cycle: Interval
    since_cycle: int
    basis: Literal["live", "anonymous"]
    explained: float | None = None
    endpoints: tuple[Endpoint, ...] = ()


@dataclass(frozen=True)
class Endpoint:
    """A kind of request or task, and what memory grows by per request of it.

    `together_with` always came together with it: the figures are of all of them. `grows` and `is_flat` are
    both false where neither is certain.
    """

    name: str
    together_with: tuple[str, ...]
    requests: int
    bytes_per_request: Interval
    grows: bool
    is_flat: bool


@dataclass(frozen=True)
class OtherCycles:
    """Something else that repeated; `nilometer report FILE --cycle UNIT` judges by it."""

    unit: str
    kind: str
    found_by: str | None
    count: int


@dataclass(frozen=True)
class Cycles:
    """What repeated. `unit` is the word for one of them; `needed` says how many more a verdict takes."""

    unit: str
    kind: str
    found_by: str | None
    alternatives: tuple[OtherCycles, ...]
    count: int
    needed: int | None
    seconds: float | None


@dataclass(frozen=True)
class Forecast:
    """When the limit is reached at this rate; only of a leak under a known limit."""

    limit: str
    limit_bytes: int
    cycles_left: int
    seconds_left: float | None
