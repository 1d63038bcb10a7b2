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
from nilometer.jupyter import card, free, repeat, who, words
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
        title = words.CHANGED_NOTHING
        if live is not None and before is not None:
            more = ("+" if live >= before else "") + size(live - before)
            title = words.live_changed(more, size(live))
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
        title = words.who_holds(size(live) if live is not None else None)
        rows = rows or [("", words.NO_NAME, "")]
        return Shown(f"{title}\n{card.columns(rows)}", card.box(title, [card.table(rows)]))

    def nilometer_free(self, line: str) -> None:
        """Lets go of what the notebook keeps: `%nilometer_free Out|tracebacks [--yes]`.

        Without --yes it says what it would.
        """
        display(self._free(line))

    def _free(self, line: str) -> Shown:
        given = line.split()
        what = given[0] if given else ""
        if what not in free.WHAT or given[1:] not in ([], ["--yes"]):
            return _said(words.SAY_WHAT)
        rows = [(size(row.size or 0), row.what, "") for row in free.rows(self.shell, what)]
        if not rows:
            return _said(words.keeps_nothing(what))
        if len(given) == 1:
            title = words.would_free(what)
            return Shown(f"{title}\n{card.columns(rows)}", card.box(title, [card.table(rows)]))
        before = _native.read_now()
        free.free(self.shell, what)
        after = _native.read_now()
        title = words.freed(
            size(max(0, before - after)) if before is not None and after is not None else None
        )
        return Shown(f"{title}\n{card.columns(rows)}", card.box(title, [card.table(rows)]))

    def _nilometer(self, line: str, cell: str | None) -> Shown:
        try:
            given = shlex.split(line)
            if cell is not None:
                return self._repeated(_cycles(given), cell)
            if given not in ([], ["--html"]):
                return _said(words.knows_html(" ".join(given)))
            report = self._session.report()
            page = self._page() if given else None
        except (ReportError, ValueError, OSError) as error:
            return _said(str(error))
        entries = self._session.ledger.largest(_LEDGER)
        ledger = _ledger(entries)
        title, whole = words.LEFT_BY_CELLS, words.whole_page(_PAGE)
        html = report._repr_html_() + (card.box(title, [card.table(ledger)]) if ledger else "")
        text = str(report) + (f"\n{title}\n{card.columns(ledger)}" if ledger else "")
        if page:
            text, html = f"{text}\n{whole}", html + card.link(_PAGE, whole)
        return Shown(text, html)

    def _page(self) -> Path:
        recording = self._session.recording
        assert recording is not None
        page = Path.cwd() / _PAGE
        command = [sys.executable, "-m", "nilometer", "report", str(recording.path)]
        command += ["--html", "-o", str(page)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=_MAX_WAIT_S)
        if done.returncode or not page.exists():
            raise ValueError(words.no_page(done.stderr.strip() or words.REPORT_FAILED))
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
                error = result.error_in_exec or result.error_before_exec
                raise ValueError(words.ended_by(type(error).__name__))

        try:
            found = repeat.repeat(run, cycles, _native.read_now)
        except ValueError as error:
            # What the cell raised was shown already.
            return _said(words.not_judged(str(error)))
        return _judged(found)


def _judged(found: repeat.Repeated) -> Shown:
    title = words.judged(_WORDS[found.verdict], found.cycles)
    growth = words.per_run(size(found.estimate), size(found.low), size(found.high))
    lines = {
        "leak": words.leaks(growth),
        "no_leak": words.leaks_not(growth),
        "undecided": words.undecided(growth, 2 * found.cycles),
    }
    parts = [lines[found.verdict]]
    if found.garbage >= repeat.FLOOR:
        parts.append(words.garbage(size(found.garbage)))
    parts.append(words.after_each([size(level - found.levels[0]) for level in found.levels[1:]]))
    html = card.box(title, [card.line(part) for part in parts], _COLORS[found.verdict])
    return Shown("\n".join([title, *(f"  {part}" for part in parts)]), html)


def _ledger(entries: list[Entry]) -> list[tuple[str, str, str]]:
    rows = []
    for entry in entries:
        kept = ", ".join(f"{name} {size(more)}" for name, more in entry.names if more > 0)
        runs = f", {entry.runs} runs" if entry.runs > 1 else ""
        cell = f"In [{entry.number}]{runs}  {entry.words}"
        rows.append((f"+{size(entry.left)}", cell, kept or words.UNDER_NO_NAME))
    return rows


def _cycles(given: list[str]) -> int:
    if not given:
        return _CYCLES
    if len(given) == 2 and given[0] == "--cycles" and given[1].isdigit():
        return int(given[1])
    raise ValueError(words.knows_cycles(" ".join(given)))


def _said(text: str) -> Shown:
    return Shown(text, card.box("", [card.line(text)]))
