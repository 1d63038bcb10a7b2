"""The report of one run, with types; its fields are named as in `docs/report.schema.json`.

In: what the native module said. Out: attributes, a dict, a data frame, text, HTML, a page. What must not
happen here: words or numbers of our own. They are the diagnosis's.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nilometer.api.findings import Component, Finding, NextStep, Warning
from nilometer.api.growth import Cycles, Forecast, Growth
from nilometer.api.program import Device, Job, Memory, Process, Program, TimelinePoint, Verdict
from nilometer.api.seen import Held, Objects, Phase, PhaseTotal, Probe, Retraced, Sampling

if TYPE_CHECKING:
    from pandas import DataFrame  # type: ignore[import-untyped, import-not-found, unused-ignore]

# Columns of whole numbers that may be unknown at times.
_BYTES = ("live_bytes", "anonymous_bytes", "file_bytes")


@dataclass(frozen=True, repr=False)
class Report:
    """All that is said about one run; `print` it for the verdict, or let a notebook show it.

    Sizes are bytes, times are seconds. `None` is what could not be known. `recorder` is `on`, or `off: ` and
    why.
    """

    schema: str
    program: Program
    verdict: Verdict
    reason: str
    job: Job
    cycles: Cycles
    growth: Growth | None
    forecast: Forecast | None
    memory: Memory
    devices: tuple[Device, ...]
    components: tuple[Component, ...]
    findings: tuple[Finding, ...]
    next_steps: tuple[NextStep, ...]
    warnings: tuple[Warning, ...]
    holders: tuple[Held, ...]
    sampling: Sampling | None
    probes: tuple[Probe, ...]
    objects: Objects | None
    retraced: tuple[Retraced, ...]
    recorder: str | None
    processes: tuple[Process, ...]
    timeline: tuple[TimelinePoint, ...]
    phases: tuple[Phase, ...]
    phase_totals: tuple[PhaseTotal, ...]
    losses: tuple[str, ...]
    _json: str = field(compare=False)
    _brief: str = field(compare=False)
    _card: str = field(compare=False)
    _path: str = field(compare=False)

    def to_dict(self) -> dict[str, Any]:
        """What `nilometer report FILE --format json` prints, as a new dict (`docs/report.schema.json`)."""
        whole: dict[str, Any] = json.loads(self._json)
        return whole

    def to_frame(self) -> DataFrame:
        """The memory curve as a pandas data frame, a row for each point of `timeline`.

        Unknown sizes are `pandas.NA`. Raises `ImportError` where pandas is not installed.
        """
        try:
            import pandas
        except ModuleNotFoundError as error:
            if error.name != "pandas":
                raise
            from nilometer.api import words

            raise ImportError(words.NO_PANDAS, name="pandas") from None
        rows = [vars(point) for point in self.timeline]
        columns = list(TimelinePoint.__dataclass_fields__)
        frame = pandas.DataFrame(rows, columns=columns)
        return frame.astype({"seconds": "float64", "cycle": "int64", **dict.fromkeys(_BYTES, "Int64")})

    def to_html(self, path: str | os.PathLike[str], *, redact: bool = False) -> None:
        """Writes the page of `nilometer report FILE --html`: one file, works offline.

        It is made from the capture, which must still be there. `redact` takes out names, paths and lines of
        source. Raises `ReportError` as `nilometer.read` does, and `OSError` where the page cannot be written.
        """
        from nilometer import _native
        from nilometer.api.errors import raise_refusal

        made = _native.page(self._path, redact)
        raise_refusal(made)
        Path(path).write_text(made["page"], encoding="utf-8")

    def __str__(self) -> str:
        return self._brief

    def __repr__(self) -> str:
        return f"<nilometer.Report of {self.program.name}: {self.verdict}>"

    def _repr_html_(self) -> str:
        return self._card
