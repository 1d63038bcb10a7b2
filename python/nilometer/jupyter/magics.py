"""The magics: `%nilometer`, `%%nilometer`, `%nilometer_diff`, `%nilometer_who`, `%nilometer_free`.

In: a line of words, and for `%%nilometer` a cell. Out: what is to be shown.
Never: a traceback of ours: what cannot be done is said in a sentence.
"""

from __future__ import annotations

import contextlib
import shlex
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import IPython.display  # type: ignore[import-not-found, unused-ignore]
import IPython.utils.capture  # type: ignore[import-not-found, unused-ignore]

from nilometer import _native
from nilometer.api import ReportError
from nilometer.jupyter import card, free, repeat, who
from nilometer.jupyter.card import Shown, size

if TYPE_CHECKING:
    from nilometer.jupyter.ledger import Entry
    from nilometer.jupyter.session import Session

# Not typed in all of its versions.
display: Any = IPython.display.display
capture_output: Any = IPython.utils.capture.capture_output

_PAGE = "nilometer.html"
_LEDGER = 5
_CHANGES = 10
_CYCLES = 10
_MAX_WAIT_S = 120  # seconds until the page is given up
_COLORS = {"leak": "#d33", "no_leak": "#2a4", "undecided": "#c80"}
_WORDS = {"leak": "LEAK", "no_leak": "NO LEAK", "undecided": "UNDECIDED"}


class NilometerMagics:
    """Asks Nilometer about the memory of this kernel."""

    def __init__(self, shell: Any, session: Session) -> None:
        self.shell = shell
        self._session = session

    def register(self) -> None:
        """Makes them known to the shell."""
        for kind, magic in (
            ("line_cell", self.nilometer),
            ("line", self.nilometer_diff),
            ("line", self.nilometer_who),
            ("line", self.nilometer_free),
        ):
            self.shell.register_magic_function(magic, magic_kind=kind, magic_name=magic.__name__)

    def nilometer(self, line: str, cell: str | None = None) -> None:
        """Whether this notebook leaks, and what its cells left: `%nilometer [--html]`.

        Above a cell, runs it again and again and judges it: `%%nilometer [--cycles 10]`.
        """
        # Shown, and not returned: the notebook would keep it.
        display(self._nilometer(line, cell))

    def nilometer_diff(self, line: str) -> None:
        """What changed by name since this was asked last, or since the extension was loaded."""
        display(self._diff(line))

    def _diff(self, line: str) -> Shown:
        ledger = self._session.ledger
        now, live = ledger.look(), _native.read_now()
        changed = [one for one in now.since(ledger.marked) if abs(one[1]) >= 1024][:_CHANGES]
        rows = [(("+" if more > 0 else "") + size(more), name, "") for name, more in changed]
        before, ledger.marked, ledger.marked_live = ledger.marked_live, now, live
        title = "Nothing changed"
        if live is not None and before is not None:
            more = ("+" if live >= before else "") + size(live - before)
            title = f"Live memory: {more} since the last look, {size(live)} now"
        return Shown(f"{title}\n{card.columns(rows)}", card.box(title, [card.table(rows)]))

    def nilometer_who(self, line: str) -> None:
        """Who holds memory now: names, outputs, the last traceback, figures, widgets."""
        display(self._who(line))

    def _who(self, line: str) -> Shown:
        rows = [
            (size(row.size) if row.size is not None else "", row.what, row.change)
            for row in who.rows(self.shell)
        ]
        live = _native.read_now()
        title = "Who holds memory now" + (f" ({size(live)} live)" if live is not None else "")
        rows = rows or [("", "no name of yours", "")]
        return Shown(f"{title}\n{card.columns(rows)}", card.box(title, [card.table(rows)]))

    def nilometer_free(self, line: str) -> None:
        """Lets go of what the notebook keeps: `%nilometer_free Out|tracebacks [--yes]`.

        Without --yes it says what it would.
        """
        display(self._free(line))

    def _free(self, line: str) -> Shown:
        words = line.split()
        what = words[0] if words else ""
        if what not in free.WHAT or words[1:] not in ([], ["--yes"]):
            return _said("say what: %nilometer_free Out, or %nilometer_free tracebacks")
        rows = [(size(row.size or 0), row.what, "") for row in free.rows(self.shell, what)]
        if not rows:
            return _said(f"the notebook keeps nothing of {what}")
        if len(words) == 1:
            title = f"This would be freed; say %nilometer_free {what} --yes"
            return Shown(f"{title}\n{card.columns(rows)}", card.box(title, [card.table(rows)]))
        before = _native.read_now()
        free.free(self.shell, what)
        after = _native.read_now()
        freed = f": {size(max(0, before - after))}" if before is not None and after is not None else ""
        title = f"Freed{freed}"
        return Shown(f"{title}\n{card.columns(rows)}", card.box(title, [card.table(rows)]))

    def _nilometer(self, line: str, cell: str | None) -> Shown:
        try:
            words = shlex.split(line)
            if cell is not None:
                return self._repeated(_cycles(words), cell)
            if words not in ([], ["--html"]):
                return _said(f"%nilometer knows --html, not {' '.join(words)}")
            report = self._session.report()
            page = self._page() if words else None
        except (ReportError, ValueError, OSError) as error:
            return _said(str(error))
        entries = self._session.ledger.largest(_LEDGER)
        link = (
            f'<div style="margin:.3em 0"><a href="{_PAGE}" target="_blank">The whole page: {_PAGE}</a></div>'
        )
        ledger = _ledger(entries)
        html = report._repr_html_() + (card.box("What cells left", [card.table(ledger)]) if ledger else "")
        text = str(report) + (f"\nWhat cells left\n{card.columns(ledger)}" if ledger else "")
        return Shown(text + (f"\nThe whole page: {_PAGE}" if page else ""), html + (link if page else ""))

    def _page(self) -> Path:
        recording = self._session.recording
        assert recording is not None
        page = Path.cwd() / _PAGE
        words = [sys.executable, "-m", "nilometer", "report", str(recording.path), "--html", "-o", str(page)]
        done = subprocess.run(words, capture_output=True, text=True, timeout=_MAX_WAIT_S)
        if done.returncode or not page.exists():
            raise ValueError(f"the page was not written: {done.stderr.strip() or 'nilometer report failed'}")
        return page

    def _repeated(self, cycles: int, cell: str) -> Shown:
        shell, is_first = self.shell, True

        def run() -> None:
            nonlocal is_first
            # What every run prints and draws is shown once.
            quiet = contextlib.nullcontext() if is_first else capture_output()
            is_first = False
            with quiet:
                # Silent: nothing is kept in Out, and it is no cell of its own.
                result = shell.run_cell(cell, store_history=False, silent=True)
            if not result.success:
                raise ValueError(
                    f"the cell ended by {type(result.error_in_exec or result.error_before_exec).__name__}"
                )

        try:
            found = repeat.repeat(run, cycles, _native.read_now)
        except ValueError as error:
            # What the cell raised was shown already.
            return _said(f"not judged: {error}")
        return _judged(found)


def _judged(found: repeat.Repeated) -> Shown:
    title = f"{_WORDS[found.verdict]}  in {found.cycles} runs of this cell"
    growth = f"{size(found.estimate)} per run (95 %: {size(found.low)} to {size(found.high)})"
    lines = {
        "leak": f"live memory grows by {growth}",
        "no_leak": f"no growth: {growth}",
        "undecided": f"its runs differ too much: {growth}; ask for more, --cycles {2 * found.cycles}",
    }
    parts = [lines[found.verdict]]
    if found.garbage >= repeat.FLOOR:
        parts.append(f"each run leaves {size(found.garbage)} of garbage, which the collector takes back")
    steps = (size(level - found.levels[0]) for level in found.levels[1:])
    parts.append("after each run, beside the first: " + ", ".join(steps))
    html = card.box(title, [card.line(part) for part in parts], _COLORS[found.verdict])
    return Shown("\n".join([title, *(f"  {part}" for part in parts)]), html)


def _ledger(entries: list[Entry]) -> list[tuple[str, str, str]]:
    rows = []
    for entry in entries:
        kept = ", ".join(f"{name} {size(more)}" for name, more in entry.names if more > 0)
        runs = f", {entry.runs} runs" if entry.runs > 1 else ""
        cell = f"In [{entry.number}]{runs}  {entry.words}"
        rows.append((f"+{size(entry.left)}", cell, kept or "under no name of yours"))
    return rows


def _cycles(words: list[str]) -> int:
    if not words:
        return _CYCLES
    if len(words) == 2 and words[0] == "--cycles" and words[1].isdigit():
        return int(words[1])
    raise ValueError(f"%%nilometer knows --cycles N, not {' '.join(words)}")


def _said(text: str) -> Shown:
    return Shown(text, card.box("", [card.line(text)]))
