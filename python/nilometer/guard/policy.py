"""What is done at the end of an epoch: look, collect, and only then stop.

In: ends of epochs, and what saving takes. Out: the reason to stop, in words, or none.
Never: a stop where a collection gave enough back.
"""

from __future__ import annotations

import gc
import os

from nilometer import _native
from nilometer.guard import said, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from nilometer.guard.settings import Settings

# Until saving was tried: a checkpoint in streams takes some buffers.
UNTRIED_BYTES = 16 << 20


class Policy:
    """Judges ends of epochs for the whole program."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.watch = _native.Guard(settings.limit)
        # What saving was seen to take; None until it was tried.
        self.measured: int | None = None
        self._collected = 0
        self._process = os.getpid()

    def is_of_this_process(self) -> bool:
        """Whether this is the program, and not a process that was forked from it."""
        return os.getpid() == self._process

    def reserve(self, largest: int) -> int:
        """Bytes to keep free for saving, where the largest variable has so many."""
        if self.settings.reserve is not None:
            return self.settings.reserve
        # Some ways of saving hold the largest variable twice, and a fifth is for what lies around.
        return max(self.measured or 0, UNTRIED_BYTES, largest * 12 // 5)

    def epoch_ended(self, reserve: int, may_stop: bool = True) -> str | None:
        """Why to stop after this epoch; None where training can go on."""
        judged = self.watch.epoch_ended(reserve)
        if judged is None or not judged[0] or not may_stop:
            return None
        before = self.watch.resident()
        _collect()
        again = self.watch.again(reserve)
        if again is not None and again[0]:
            return again[1]
        after = self.watch.resident()
        self._say_collected(before[0] - after[0] if before and after else 0)
        return None

    def _say_collected(self, given_back: int) -> None:
        self._collected += 1
        # Of many, the first, the second, the fourth, ...
        if self._collected & (self._collected - 1) == 0:
            said.say(words.collected(given_back, self._collected))


def _collect() -> None:
    gc.collect()
    try:
        import ctypes

        ctypes.CDLL(None).malloc_trim(0)
    except Exception:
        _native.lost(words.NO_TRIM)
