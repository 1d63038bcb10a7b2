"""From a report to patches worth a run.

In: a report and the program's files. Out: attempts, each a set of patched files with its diff, in the
order in which they are worth trying; and for the causes without a mechanical change a sentence why.
Never: two attempts with the same text.
"""

from __future__ import annotations

import difflib
import itertools
from pathlib import Path

from nilometer import frameworks
from nilometer.fixes import floats, keeps_what_is_read
from nilometer.fixes._case import Case, Proposal
from nilometer.fixes._project import Project
from nilometer.fixes._source import Edit, Refused, Source
from nilometer.fixes.words import source as words
from nilometer.frameworks import trials

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# The more telling first: of one cause the first that has a proposal is tried first.
ALL = (*map(frameworks.load, trials.FIXES), floats, keeps_what_is_read)
# Findings that make up less than this share of the growth are not looked at.
_MIN_FINDING_RATIO = 0.05
_MAX_TOGETHER = 6
_KEEPS = {
    *(
        "callback-keeps",
        "tensors-kept",
        "loop-keeps",
        "global-grows",
        "object-keeps",
        "class-attribute-grows",
        "elements-keep",
    ),
    *("dataset-keeps", "container-grows", "growth-at-site"),
}


def attempts(folder: Path, command: list[str], report: dict[str, Any]) -> dict[str, Any]:
    """What to try, and what there is no fix for."""
    project = Project(folder, command)
    refused: list[dict[str, str]] = []
    ways: list[list[Proposal]] = []
    findings = report["findings"]
    if not findings:
        refused.append({"cause": "unexplained", "finding": words.UNEXPLAINED, "why": words.UNSEEN})
    whole = sum(max(finding["bytes_per_cycle"]["estimate"], 0) for finding in findings)
    for finding in findings:
        if finding["bytes_per_cycle"]["estimate"] < _MIN_FINDING_RATIO * whole:
            continue
        found, why = _propose(Case(project, report, finding))
        if found and found not in ways:
            ways.append(found)
        elif not found:
            refused.append({"cause": finding["cause"], "finding": finding["sentence"], "why": why})
    sets = [list(one) for one in itertools.islice(itertools.product(*ways), _MAX_TOGETHER)] if ways else []
    if len(ways) > 1:
        sets += [[proposal] for way in ways for proposal in way]
    made: list[dict[str, Any]] = []
    for one in sets:
        try:
            attempt = _attempt(one)
        except Refused as error:
            refused.append({"cause": one[0].fix, "finding": one[0].sentence, "why": str(error)})
            continue
        if all(attempt["files"] != other["files"] for other in made):
            made.append(attempt)
    return {"attempts": made, "refused": refused}


def _propose(case: Case) -> tuple[list[Proposal], str]:
    found: list[Proposal] = []
    why = words.unknown(case.cause)
    for fix in ALL:
        if fix in (floats, keeps_what_is_read) and case.cause not in _KEEPS:
            continue
        try:
            found += fix.propose(case)
        except Refused as error:
            why = str(error)
    return found, why


def _attempt(proposals: list[Proposal]) -> dict[str, Any]:
    edits: dict[Path, tuple[Source, set[Edit]]] = {}
    for proposal in proposals:
        for source, edit in proposal.edits:
            edits.setdefault(source.path, (source, set()))[1].add(edit)
    files = [_file(source, source.edited(some)) for _, (source, some) in sorted(edits.items())]
    return {
        "fixes": [proposal.fix for proposal in proposals],
        "sentences": [proposal.sentence for proposal in proposals],
        "files": files,
        "diff": "".join(_diff(file) for file in files),
    }


def _file(source: Source, after: bytes) -> dict[str, str]:
    return {
        "path": str(source.path),
        "shown": source.shown,
        "before": source.before.decode(),
        "after": after.decode(),
    }


def _diff(file: dict[str, str]) -> str:
    """As `diff -u` and `git apply` have it."""
    before, after = (file[side].splitlines(keepends=True) for side in ("before", "after"))
    shown = file["shown"].removeprefix("/")
    out = []
    for line in difflib.unified_diff(before, after, f"a/{shown}", f"b/{shown}"):
        out.append(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n")
    return "".join(out)
