"""What each cell left in memory, and under which names.

In: the end of each cell, with live memory before and after it. Out: an entry per cell.
Never: a reference to a value of the person's; a source, but the first words of it.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any

from nilometer.jupyter import names

# Entries that are kept, of a kernel that runs for weeks.
_MOST = 1000
# Names that an entry has at most, and the least that is worth one (bytes).
_NAMES = 6
_LEAST = 16 * 1024
_WORDS = 60


@dataclass(frozen=True)
class Entry:
    """One run of a cell; sizes are bytes."""

    number: int
    words: str
    live: int
    left: int
    names: tuple[tuple[str, int], ...]


class Ledger:
    """The entries of one shell's cells."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self.entries: deque[Entry] = deque(maxlen=_MOST)
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
        told = tuple(one for one in changed if abs(one[1]) >= _LEAST)[:_NAMES]
        self.entries.append(Entry(number, _first_words(source), after, after - before, told))

    def largest(self, count: int) -> list[Entry]:
        """The entries that left most, of those that left something worth a word."""
        left = [entry for entry in self.entries if entry.left >= _LEAST]
        return sorted(left, key=lambda entry: -entry.left)[:count]

    def look(self) -> names.Look:
        """All names as they are now."""
        return names.look(self._shell.user_ns, self._known)


def _first_words(source: str) -> str:
    lines = [line.strip() for line in source.splitlines()]
    line = next((line for line in lines if line and not line.startswith("#")), "")
    return line if len(line) <= _WORDS else f"{line[: _WORDS - 1]}…"
