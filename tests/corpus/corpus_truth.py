"""What `corpus/*/truth.toml` says, as values. `corpus/README.md` documents the keys.

In: the files. Out: one `Run` per `[[run]]` table. An unknown key is an error, so that a misspelt one never
passes for a truth that was checked.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

CORPUS = Path(__file__).resolve().parents[2] / "corpus"


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
    tolerance: float | None = None
    exit_code: int = 0
    same_stdout: bool = False
    expect: list[Expected] = field(default_factory=list)
    expect_not: list[Expected] = field(default_factory=list)

    @property
    def script(self) -> Path:
        """The program's path."""
        return CORPUS / self.program / "train.py"


def read(truth: Path) -> list[Run]:
    """All runs of one program."""
    table = tomllib.loads(truth.read_text())
    if set(table) != {"about", "run"}:
        raise ValueError(f"{truth}: 'about' and at least one [[run]] are asked for, nothing else")
    runs = []
    for entry in table["run"]:
        for key in ("expect", "expect_not"):
            entry[key] = [Expected(**expected) for expected in entry.get(key, [])]
        run = Run(program=truth.parent.name, **entry)
        if run.verdict == "leak" and (not run.bytes_per_cycle or run.tolerance is None):
            raise ValueError(f"{truth}: {run.name}: a leak needs bytes_per_cycle and tolerance")
        runs.append(run)
    return runs


def all_runs() -> list[Run]:
    """The whole corpus."""
    return [run for truth in sorted(CORPUS.glob("*/truth.toml")) for run in read(truth)]
