"""Runs something again and again and says whether live memory grows by it.

In: a function without arguments, and how often to call it. Out: live memory after each call and a collection,
and the growth per call with its interval.
Never: a word of growth that rests on the first calls, which also start things up.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from math import sqrt
from statistics import median

from nilometer.jupyter import words

# The first calls, which do not count, and the fewest that do.
WARM = 3
MIN_CYCLES = 8
# Growth per call (bytes) that nobody needs to hear of.
FLOOR = 16 * 1024
# The standard normal's quantile for an interval of 95 %.
_NORMAL = 1.96


@dataclass(frozen=True)
class Repeated:
    """What came of it; sizes are bytes. `low` and `high` are an interval of 95 %."""

    cycles: int
    levels: tuple[int, ...]
    garbage: int
    estimate: float
    low: float
    high: float

    @property
    def verdict(self) -> str:
        """`leak`, `no_leak` or `undecided`."""
        if self.low > FLOOR:
            return "leak"
        return "no_leak" if self.high <= FLOOR else "undecided"


def repeat(call: Callable[[], object], cycles: int, read: Callable[[], int | None]) -> Repeated:
    """Calls it so often; `read` gives live memory. An exception of the call ends it and passes through.

    Raises `ValueError` for fewer than 8 cycles, and where live memory cannot be read.
    """
    if cycles < MIN_CYCLES:
        raise ValueError(words.too_few(cycles, MIN_CYCLES))
    levels, garbage = [], []
    for _ in range(cycles):
        call()
        before = read()
        gc.collect()
        after = read()
        if before is None or after is None:
            raise ValueError(words.NOT_READ)
        levels.append(after)
        garbage.append(max(0, before - after))
    estimate, low, high = slope(levels[WARM:] if cycles > MIN_CYCLES else levels[1:])
    return Repeated(cycles, tuple(levels), int(median(garbage[1:])), estimate, low, high)


def slope(levels: list[int]) -> tuple[float, float, float]:
    """The median of all slopes between two points (Theil and Sen), and its interval by Kendall's variance."""
    count = len(levels)
    slopes = sorted((levels[b] - levels[a]) / (b - a) for a, b in combinations(range(count), 2))
    width = _NORMAL * sqrt(count * (count - 1) * (2 * count + 5) / 18)
    low = max(0, round((len(slopes) - width) / 2) - 1)
    high = min(len(slopes) - 1, round((len(slopes) + width) / 2))
    return median(slopes), slopes[low], slopes[high]
