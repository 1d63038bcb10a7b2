"""How often something may be done: by what it cost the last time.

In: when it was done, and how long that took. Out: whether it may be done again.
Never: more than its share of the time, but for the first time, whose cost is assumed.
"""

from __future__ import annotations

from time import monotonic, perf_counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType


class Pace:
    """Lets something cost one part in `share` of the time; use it as a context manager around that.

    `clock` says what it costs: the time that the training waits, or the CPU time of this thread, which a busy
    machine does not make longer.
    """

    def __init__(self, share: int, first_s: float, clock: Callable[[], float] = perf_counter) -> None:
        self._clock = clock
        self._share = share
        self._due = monotonic() + share * first_s
        self._began = 0.0

    def is_due(self) -> bool:
        """Whether the time since the last one has paid for it."""
        return monotonic() >= self._due

    def __enter__(self) -> None:
        self._began = self._clock()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._due = monotonic() + self._share * (self._clock() - self._began)
