"""What `corpus/*/truth.toml` says, as values. `corpus/README.md` documents the keys.

In: the files. Out: one `Run` per `[[run]]` table. An unknown key is an error, so that a misspelt one never
passes for a truth that was checked.
"""

from __future__ import annotations

import functools
import importlib.util
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

CORPUS = Path(__file__).resolve().parents[2] / "corpus"
# The unit that is reported for every run of the corpus: what `unit` accepts may be more than one word.
UNITS = Path(__file__).with_name("units.toml")


@dataclass(frozen=True)
class Expected:
    """Components of the memory curve, and bounds on the sum of their bytes."""

    kinds: list[str]
    phases: list[str] | None = None
    min_bytes: int | None = None
    max_bytes: int | None = None

    def matching(self, components: list[dict[str, Any]]) -> list[int]:
        """The bytes of each component that counts."""
        return [
            component["bytes"]
            for component in components
            if component["kind"] in self.kinds and (self.phases is None or component["phase"] in self.phases)
        ]


@dataclass(frozen=True)
class ExpectedFinding:
    """A place that must be named: a line of the program, or a native part by a word of the report.

    What one place keeps may be told in several findings.
    """

    site: str | list[str] | None = None
    part: str | None = None
    bytes_per_cycle: int | None = None
    cause: str | list[str] | None = None
    # Several where what is kept has several names.
    holder: str | list[str] | None = None
    # The line that puts it where it is kept, if another one makes it.
    kept: str | None = None

    def __post_init__(self) -> None:
        if (self.site is None) == (self.part is None):
            raise ValueError("a finding is told by a site or by a part, one of the two")

    @property
    def sites(self) -> list[str]:
        """The places that count, each as `file:line`."""
        return [self.site] if isinstance(self.site, str) else self.site or []

    def names(self, finding: dict[str, Any]) -> bool:
        """Whether `finding` is about this place."""
        if self.part is not None:
            places = [f"{site['file']} {site['function']}" for site in finding["sites"]]
            return any(self.part in text for text in [finding["sentence"], *places])
        # The first line that makes it and the one that keeps it: the census alone knows of no other.
        made_at = [site for site in finding["sites"] if site["role"] == "made_at"][:1]
        kept_at = [site for site in finding["sites"] if site["role"] == "kept_at"]
        places = [f"/{site['file']}:{site['line']}" for site in made_at + kept_at]
        known = [*self.sites, *([self.kept] if self.kept else [])]
        return any(place.endswith(f"/{site}") for place in places for site in known)

    def found_in(self, findings: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The findings about this place, those that name it first; others may name its holder alone."""
        named = [finding for finding in findings if self.names(finding)]
        return named + [f for f in findings if self.holder_right(f) and f not in named]

    def causes_right(self, finding: dict[str, Any]) -> bool:
        """Whether the finding gives the cause; several where two names fit."""
        return finding["cause"] in ([self.cause] if isinstance(self.cause, str) else self.cause or [])

    def holder_right(self, finding: dict[str, Any]) -> bool:
        """Whether the path of the holder ends as a person names it: `callbacks[0].saved[*]` by `saved`."""
        if finding["holder"] is None or self.holder is None:
            return False
        full = finding["holder"]["path"]
        # The level that grows, if a part of each of its elements is meant: `jobs` of `jobs[*].mask`.
        level = full[: full.rfind("[*]")] if "[*]" in full else full
        holders = [self.holder] if isinstance(self.holder, str) else self.holder
        names = [re.sub(r"(\[[^]]*\])+$", "", holder) for holder in holders]
        paths = [re.sub(r"(\[[^]]*\])+$", "", path) for path in (full, level)]
        ends = [rf"(?<![A-Za-z0-9]){re.escape(name)}$" for name in names]
        return any(re.search(end, path) for end in ends for path in paths)


@dataclass(frozen=True)
class Run:
    """One way to run a program, and the truth about it."""

    program: str
    name: str
    seconds: int
    verdict: str
    unit: list[str]
    args: list[str] = field(default_factory=list)
    fast: bool = False
    cycles: int | None = None
    bytes_per_cycle: int | None = None
    # Where units differ in growth: the truth of those that `bytes_per_cycle` does not hold for.
    bytes_per: dict[str, int] = field(default_factory=dict)
    tolerance: float | None = None
    # `child`: the memory is kept by a process that the program starts; only the verdict is known of it.
    subject: str = "program"
    # Modules that must be there; of the whole program, so its key stands at the top.
    requires: list[str] = field(default_factory=list)
    exit_code: int = 0
    same_stdout: bool = False
    options: list[str] = field(default_factory=list)
    compile: str | None = None
    finding: list[ExpectedFinding] | None = None
    also: list[str] = field(default_factory=list)
    finding_tolerance: float | None = None
    cycles_needed: int | None = None
    strict: list[str] = field(default_factory=list)
    expect: list[Expected] = field(default_factory=list)
    expect_not: list[Expected] = field(default_factory=list)

    @property
    def script(self) -> Path:
        """The program's path."""
        return CORPUS / self.program / "train.py"

    def growth_per(self, unit: str) -> int | None:
        """The true growth per cycle, if cycles are counted in `unit`."""
        return self.bytes_per.get(unit, self.bytes_per_cycle)

    def unit_line(self, unit: str) -> str:
        """This run's line in the golden table of units."""
        return f'{self.program}.{self.name} = "{unit}"'

    def missing(self) -> list[str]:
        """The modules that the program needs and that are not installed here."""
        return [name for name in self.requires if importlib.util.find_spec(name) is None]


def may_be_named(run: Run, finding: dict[str, Any]) -> bool:
    """Whether a finding that was not asked for is true all the same."""
    places = [ExpectedFinding(site=also) if ":" in also else ExpectedFinding(part=also) for also in run.also]
    return any(place.names(finding) for place in places)


def line_of(folder: Path, site: str) -> str:
    """The text at `site`; a site that points at nothing is an error."""
    name, number = site.split(":")
    line = Path(folder, name).read_text().splitlines()[int(number) - 1].strip()
    if not line:
        raise ValueError(f"{folder}: nothing stands at {site}")
    return line


def read(truth: Path) -> list[Run]:
    """All runs of one program."""
    table = tomllib.loads(truth.read_text())
    if set(table) - {"source", "requires"} != {"about", "run"}:
        raise ValueError(
            f"{truth}: 'about', at least one [[run]] and perhaps 'source' and 'requires' are asked for, "
            "nothing else"
        )
    runs = []
    for entry in table["run"]:
        for key in ("expect", "expect_not"):
            entry[key] = [Expected(**expected) for expected in entry.get(key, [])]
        if "finding" in entry:
            entry["finding"] = [ExpectedFinding(**finding) for finding in entry["finding"]]
        run = Run(program=truth.parent.name, requires=table.get("requires", []), **entry)
        if run.subject not in ("program", "child"):
            raise ValueError(f"{truth}: {run.name}: subject is 'program' or 'child'")
        known = run.bytes_per_cycle and run.tolerance is not None
        if run.verdict == "leak" and run.subject == "program" and not known:
            raise ValueError(f"{truth}: {run.name}: a leak needs bytes_per_cycle and tolerance")
        if set(run.bytes_per) - set(run.unit):
            raise ValueError(f"{truth}: {run.name}: bytes_per names a unit that is not accepted")
        if set(run.strict) - {"site", "cause", "holder"}:
            raise ValueError(f"{truth}: {run.name}: strict names columns: site, cause, holder")
        places = [site for finding in run.finding or [] for site in finding.sites]
        for site in places + [also for also in run.also if ":" in also]:
            line_of(truth.parent, site)
        runs.append(run)
    return runs


def all_runs() -> list[Run]:
    """The whole corpus."""
    return [run for truth in sorted(CORPUS.glob("*/truth.toml")) for run in read(truth)]


@functools.cache
def golden_units() -> dict[tuple[str, str], list[str]]:
    """The units of every run, by program and run.

    Several where the finer unit leaves some runs undecided and the coarser one decides them.
    """
    table = tomllib.loads(UNITS.read_text())
    return {
        (program, name): units if isinstance(units, list) else [units]
        for program, runs in table.items()
        for name, units in runs.items()
    }
