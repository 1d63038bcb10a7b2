"""What of a report is right, column by column, and how often over the whole corpus.

In: a run's truth and its report. Out: lines for people. Nothing here decides whether a test passes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from corpus_truth import ExpectedFinding, Run, all_runs

# An estimate this near is right, whatever its interval.
NEAR = 0.15
# Frameworks keep so much per cycle of a healthy program (History): an interval that meets it is right.
RESIDUE = 16 * 1024


@dataclass(frozen=True)
class Score:
    """One run, judged."""

    run: Run
    report: dict[str, Any]
    # Wall time of the program under nilometer.
    seconds: float
    # Cycles after which a report of the running program first gave the right verdict; None if none did.
    first_right: int | None = None

    def to_text(self) -> str:
        """The score as text, without the truth: a run is known by its program and name."""
        return json.dumps([self.run.program, self.run.name, self.report, self.seconds, self.first_right])

    @classmethod
    def from_text(cls, text: str) -> Score:
        program, name, report, seconds, first_right = json.loads(text)
        run = next(run for run in all_runs() if (run.program, run.name) == (program, name))
        return cls(run, report, seconds, first_right)

    @property
    def verdict(self) -> bool:
        return bool(self.report["verdict"] == self.run.verdict)

    @property
    def growth(self) -> dict[str, int] | None:
        return self.report["growth"]["bytes_per_cycle"] if self.report["growth"] else None

    @property
    def truth(self) -> int | None:
        """The true growth per cycle, in the unit of the report."""
        return self.run.growth_per(self.report["cycles"]["unit"])

    @property
    def covered(self) -> bool | None:
        """Whether the 95 % interval holds the truth; None where there is no interval or no truth."""
        if self.growth is None or self.run.verdict == "undecided":
            return None
        if self.run.verdict == "leak":
            truth = self.truth
            return None if truth is None else self.growth["low"] <= truth <= self.growth["high"]
        return self.growth["low"] <= RESIDUE and self.growth["high"] >= 0

    @property
    def bytes(self) -> bool | None:
        """Whether the growth of a leak is within 15 %, or the truth in the interval."""
        truth = self.truth
        if self.run.verdict != "leak" or truth is None:
            return None
        near = self.growth is not None and abs(self.growth["estimate"] - truth) <= NEAR * truth
        return near or bool(self.covered)

    def pairs(self) -> Iterable[tuple[ExpectedFinding, dict[str, Any] | None]]:
        """Each place that must be named, with the finding that names it."""
        for expected in self.run.finding or []:
            yield expected, next(iter(expected.found_in(self.report["findings"])), None)

    @property
    def sites(self) -> list[bool]:
        return [found is not None and expected.names(found) for expected, found in self.pairs()]

    @property
    def causes(self) -> list[bool]:
        return [
            found is not None and e.causes_right(found) for e, found in self.pairs() if e.cause is not None
        ]

    @property
    def holders(self) -> list[bool]:
        return [
            found is not None and e.holder_right(found) for e, found in self.pairs() if e.holder is not None
        ]

    def line(self) -> str:
        """The run's line in the table."""
        said = self.growth or {}
        name = f"{self.run.program} {self.run.name}"
        first = "" if self.first_right is None else f", right from {self.first_right}"
        return (
            f"{'right' if self.verdict else 'WRONG'}  {name:<40} {self.run.verdict:<9} "
            f"{self.truth or 0:>9}  "
            f"said {self.report['verdict']:<9} {said.get('estimate', '-'):>9} B "
            f"per {self.report['cycles']['unit']} ({said.get('low')} to {said.get('high')}), "
            f"{len(self.report['findings'])} named; site {of(self.sites)} bytes {of([self.bytes])} "
            f"cause {of(self.causes)} holder {of(self.holders)}; {self.seconds:.0f} s, "
            f"{self.report['cycles']['count']} cycles{first}"
        )


def of(rights: Iterable[bool | None]) -> str:
    """`2/3`, or a dash where there was nothing to be right about."""
    known = [right for right in rights if right is not None]
    return f"{sum(known)}/{len(known)}" if known else "-"


def share(name: str, rights: Iterable[bool | None]) -> str:
    known = [right for right in rights if right is not None]
    return f"{name} {sum(known)} of {len(known)}" + (
        f" ({100 * sum(known) / len(known):.0f} %)" if known else ""
    )


def summary(scores: list[Score]) -> list[str]:
    """The columns over all runs, and the calibration."""
    innocent = [score for score in scores if score.run.verdict == "no_leak"]
    accused = [score for score in innocent if score.report["verdict"] == "leak" or score.report["findings"]]
    enough = [s for s in scores if s.run.verdict != "undecided"]
    open_ = [score for score in enough if score.report["verdict"] == "undecided"]
    lines = [
        share("verdict", [score.verdict for score in scores]),
        f"innocents accused {len(accused)} of {len(innocent)}",
        f"undecided though the cycles suffice {len(open_)} of {len(enough)}",
        share("site", [right for score in scores for right in score.sites]),
        share("bytes", [score.bytes for score in scores]),
        share("cause", [right for score in scores for right in score.causes]),
        share("holder", [right for score in scores for right in score.holders]),
        share("truth in the 95 % interval, leaks", [s.covered for s in scores if s.run.verdict == "leak"]),
        share("truth in the 95 % interval, innocents", [s.covered for s in innocent]),
        f"wall time {sum(score.seconds for score in scores):.0f} s",
    ]
    lines += waits("leak", [s for s in scores if s.run.verdict == "leak"])
    return lines + waits("no leak", innocent)


def waits(name: str, scores: list[Score]) -> list[str]:
    """How many cycles it took until a report of the running program was first right."""
    cycles = sorted(score.first_right for score in scores if score.first_right is not None)
    if not cycles:
        return []
    late = [
        s for s in scores if s.first_right and s.run.cycles_needed and s.first_right > s.run.cycles_needed
    ]
    return [
        f"cycles until the first right verdict, {name}: median {cycles[len(cycles) // 2]}, most {cycles[-1]} "
        f"({len(cycles)} of {len(scores)} while it ran; {len(late)} later than the truth asks for)"
    ]
