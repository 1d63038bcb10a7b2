"""What the callbacks of all frameworks have in common: their arguments, and the training that they watch.

In: the arguments. Out: a callback that can be copied and pickled; a copy watches no training yet.
Never: a word about a framework; each has a file of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nilometer.training.late import LateCallback
from nilometer.training.options import options
from nilometer.training.watch import Watch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nilometer.api import Report
    from nilometer.training.options import Capture, OnLeak, Tracker


class TrainingCallback(LateCallback):
    """A callback of a framework with our arguments. `docs/callbacks.md` has them in a table."""

    _of_a_training = frozenset({"_watch"})

    def __init__(
        self,
        on_leak: OnLeak = "warn",
        log: bool = True,
        *,
        log_to: Tracker | Sequence[Tracker] = (),
        check_every: int | None = None,
        quiet: bool = False,
        capture: Capture | None = None,
        overwrite: bool = False,
    ) -> None:
        super().__init__()  # the framework's
        self._options = options(on_leak, log, log_to, check_every, quiet, capture, overwrite)
        self._begin_anew()

    def _begin_anew(self) -> None:
        self._watch = Watch(self._options)

    @property
    def report(self) -> Report | None:
        """The last report of this training, or of the one before."""
        return self._watch.report
