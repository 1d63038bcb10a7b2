"""What each cell left in memory, and under which names.

In: the end of each cell, with live memory before and after it. Out: an entry per cell.
Never: a reference to a value of the person's; a source, but the first words of it.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from typing import Any

from nilometer.jupyter import names

# Entries that are kept, of a kernel that runs for weeks.
_MAX_ENTRIES = 1000
# Names that an entry has at most, and the least that is worth one (bytes).
_NAMES = 6
_MIN_BYTES = 16 * 1024
_WORDS = 60


@dataclass(frozen=True)
class Entry:
    """One run of a cell, or several; sizes are bytes."""

    number: int
    runs: int
    key: int
    words: str
    live: int
    left: int
    names: tuple[tuple[str, int], ...]


class Ledger:
    """The entries of one shell's cells."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self.entries: deque[Entry] = deque(maxlen=_MAX_ENTRIES)
        self._known = names.look(shell.user_ns)
        # What `%nilometer_diff` compares with.
        self.marked = self._known
        self.marked_live: int | None = None

    def ended(self, number: int, source: str, before: int | None, after: int | None) -> None:
        """A cell ended."""
        now = names.look(self._shell.user_ns, self._known)
        changed = now.since(self._known)
        self._known = now
        if before is None or after is None:
            return
        if self.marked_live is None:
            self.marked_live = before
        told = tuple(one for one in changed if abs(one[1]) >= _MIN_BYTES)[:_NAMES]
        self.entries.append(
            Entry(number, 1, hash(source.strip()), _first_words(source), after, after - before, told)
        )

    def largest(self, count: int) -> list[Entry]:
        """The cells that left most, of those that left something worth a word; runs of one cell together."""
        of_cell: dict[int, Entry] = {}
        for entry in self.entries:
            known = of_cell.get(entry.key)
            of_cell[entry.key] = entry if known is None else _together(known, entry)
        left = [entry for entry in of_cell.values() if entry.left >= _MIN_BYTES]
        return sorted(left, key=lambda entry: -entry.left)[:count]

    def look(self) -> names.Look:
        """All names as they are now."""
        return names.look(self._shell.user_ns, self._known)


def _together(first: Entry, last: Entry) -> Entry:
    """Two entries of one cell as one."""
    names = dict(first.names)
    for name, more in last.names:
        names[name] = names.get(name, 0) + more
    told = sorted(names.items(), key=lambda one: -abs(one[1]))[:_NAMES]
    return replace(last, runs=first.runs + last.runs, left=first.left + last.left, names=tuple(told))


def _first_words(source: str) -> str:
    lines = [line.strip() for line in source.splitlines()]
    line = next((line for line in lines if line and not line.startswith("#")), "")
    return line if len(line) <= _WORDS else f"{line[: _WORDS - 1]}…"
