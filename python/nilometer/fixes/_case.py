"""A cause that a report names, in a program.

In: a finding of a report, the rest of the report, the program's files. Out: what fixes ask of them, and
what they propose.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from nilometer.fixes._container import added_at
from nilometer.fixes._project import Project
from nilometer.fixes._source import Edit, Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


@dataclass
class Case:
    """One finding."""

    project: Project
    report: dict[str, Any]
    finding: dict[str, Any]

    @property
    def cause(self) -> str:
        """The cause's name."""
        return str(self.finding["cause"])

    @property
    def holder(self) -> dict[str, Any] | None:
        """Who keeps the memory; where that was not seen, what a line that makes it adds to."""
        holder: dict[str, Any] | None = self.finding.get("holder")
        if holder is None:
            for source, line in self.lines():
                path, owner = added_at(self.project, source, line)
                if path:
                    return {"path": path, "owner": owner, "elements": ""}
        return holder

    def lines(self) -> list[tuple[Source, int]]:
        """The lines of the program that make or keep it."""
        places = [(site["file"], site["line"]) for site in self.finding["sites"]]
        places += [
            (frame["file"], frame["line"]) for frame in self.finding["stack"] if frame["kind"] == "user"
        ]
        found = [(self.project.source(file), line) for file, line in places]
        return [(source, line) for source, line in found if source is not None]

    def version(self, framework: str) -> int:
        """The number of a framework before its first dot; 0 without the framework."""
        version = str(self.report["program"]["frameworks"].get(framework, ""))
        number = re.match(r"\d+", version)
        return int(number.group()) if number else 0


@dataclass
class Proposal:
    """A change for one cause: what it does, in words, and its edits."""

    fix: str
    sentence: str
    edits: list[tuple[Source, Edit]]
