"""One training, watched: its recording, its metrics, its verdict.

In: the training's begin, its epochs, its end. Out: metrics to log, a leak to tell once, the verdict at the
end.
Never: an exception of ours; more than one part in 100 of the training's time for reports, and half of that
for readings, but for the last report and where the user asks for more.
"""

from __future__ import annotations

import contextlib
from time import monotonic, thread_time
from typing import TYPE_CHECKING

from nilometer.training import leaks, own, trackers
from nilometer.training.guard import Guard
from nilometer.training.pace import Pace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nilometer.api import Recording, Report
    from nilometer.training.options import Options

LIVE = "nilometer/live_mib"
GROWTH = "nilometer/growth_mib_per_epoch"

_MIB = 2**20
# A report, and a reading, cost one part in so many of the time, ...
_REPORT_SHARE = 100
_READING_SHARE = 200
# ... the first report as if it cost this (seconds).
_FIRST_REPORT_S = 0.1
# Fewer epochs give no verdict, unless they took this long (seconds): then something else may repeat.
_MIN_EPOCHS = 8
_LONG_S = 60.0


class Watch:
    """Follows one callback through its trainings."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._guard = Guard()
        self._reports = Pace(_REPORT_SHARE, _FIRST_REPORT_S)
        self._readings = Pace(_READING_SHARE, 0.0, thread_time)
        self._seen: dict[str, trackers.Run] = {}
        self._forget()

    def _forget(self) -> None:
        self._recording: Recording | None = None
        self._is_own = False
        self._began = monotonic()
        self._epochs = 0
        self._wait_until = _MIN_EPOCHS
        self._live: float | None = None
        self._leak_is_told = False
        self._untold: Report | None = None
        self.report: Report | None = None

    def begin(self, scope: str) -> None:
        """A training begins: so does its recording, unless one runs. `scope` is what hooks call it."""
        before = self._recording
        self._seen.clear()
        if self._guard.has_failed:
            return
        with self._guard:
            recording, is_new = own.begin(self._options, scope)
            if is_new or before is None or before.path != recording.path:
                self._forget()
            self._recording, self._is_own = recording, is_new
            self._runs()

    def epoch_ended(self) -> None:
        """An epoch has ended: reads, and asks for a report where it is time to."""
        self._epochs += 1
        every = self._options.check_every
        self._look(self._is_time() if every is None else self._epochs % every == 0)

    def step_ended(self) -> None:
        """Something within an epoch that is worth a reading; long epochs are judged here too."""
        is_long = monotonic() - self._began >= _LONG_S
        self._look(is_long and self._options.check_every is None and self._reports.is_due())

    def _is_time(self) -> bool:
        enough = self._epochs >= self._wait_until or monotonic() - self._began >= _LONG_S
        return enough and self._reports.is_due()

    def _look(self, asks: bool) -> None:
        if self._recording is None or self._guard.has_failed:
            return
        from nilometer import _native

        with self._guard:
            if self._readings.is_due():
                with self._readings:
                    live = _native.read_now()
                self._live = None if live is None else live / _MIB
            if asks:
                with self._reports:
                    self._judge(self._recording)

    def _judge(self, recording: Recording) -> Report:
        self.report = report = recording.report()
        self._wait_until = self._epochs + (report.cycles.needed or 0)
        if report.verdict == "leak" and not self._leak_is_told:
            self._untold = report
        return report

    def metrics(self) -> dict[str, float]:
        """What is known by now."""
        if self._guard.has_failed:
            return {}
        known = {LIVE: self._live, GROWTH: leaks.mib_per_epoch(self.report)}
        return {name: value for name, value in known.items() if value is not None}

    def log_directly(self, step: int, runs: Sequence[trackers.Run] = (), unit: str = "epoch") -> None:
        """Logs the metrics to the trackers, where the framework's logs do not have them."""
        if self._guard.has_failed:
            return
        with self._guard:
            metrics = {} if self._options.log else self.metrics()
            for run in self._runs(runs):
                if metrics:
                    run.metrics(metrics, step, unit)

    def _runs(self, runs: Sequence[trackers.Run] = ()) -> Sequence[trackers.Run]:
        for name in self._options.log_to:
            run = trackers.active(name)
            if run is not None:
                self._seen[name] = run
            elif name != "mlflow":
                # A run of W&B takes nothing after its end. One of MLflow does: transformers ends it early.
                self._seen.pop(name, None)
        return runs or list(self._seen.values())

    def tell_leak(self) -> bool:
        """Does what the user asked for when memory leaks, once; whether the training is to stop.

        Raises what the user's own function raises, and the warning where the program makes it an error.
        """
        report, self._untold = self._untold, None
        if report is None:
            return False
        self._leak_is_told = True
        wanted = self._options.on_leak
        if callable(wanted):
            wanted(report)
            return False
        leaks.warn(report)
        return wanted == "stop"

    def end(self, runs: Sequence[trackers.Run] = ()) -> None:
        """The training has ended: says the verdict, where it began the recording, and ends that."""
        recording, is_own = self._recording, self._is_own
        if recording is None:
            return
        if is_own:
            self._recording = None
            with contextlib.suppress(Exception):
                own.end(recording)
        if self._guard.has_failed:
            return
        with self._guard:
            # A loop of many short trainings in a recording around them does not pay for a report each.
            if not (is_own or self._options.log_to or self._reports.is_due()):
                return
            with self._reports:
                report = self._judge(recording)
            if is_own and not self._options.quiet:
                print(report)
            if self._options.log_to:
                trackers.publish(report, self._runs(runs))
