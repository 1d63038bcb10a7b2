"""Which runs of a notebook's cells are runs of the same cell, with nothing in between that left memory.

In: the source of each cell that runs, and what it left in live memory. Out: the number of its stretch. Only
within one stretch may growth be told "per cell": cells differ.
Never: a source that is kept. Of each cell a hash is.
"""

from __future__ import annotations

# What other cells may leave or free (bytes) between runs that are told together: no more than
# growth per cell that nobody needs to hear of.
LEFT_BETWEEN = 16 * 1024
# Cells that are remembered; of a kernel that saw more, the oldest are forgotten.
_MAX_CELLS = 512


class _Known:
    """One source: its stretch, how often it ran in it, and what other cells did since."""

    __slots__ = ("before", "between", "left", "runs", "stretch")

    def __init__(self, stretch: int) -> None:
        self.stretch = stretch
        self.runs = 0
        # Sources that ran since its last run, and those before it.
        self.between: set[int] = set()
        self.before: set[int] | None = None
        # What sources left or freed since its last run that had not run before it.
        self.left = 0


class Stretches:
    """Numbers the stretches of a kernel's cells."""

    def __init__(self) -> None:
        self._known: dict[int, _Known] = {}
        self._stretch = 0

    def begin(self, source: str) -> int:
        """The stretch that this run of the source belongs to."""
        key = hash(source.strip())
        known = self._known.pop(key, None)
        if known is None or known.left > LEFT_BETWEEN:
            self._stretch += 1
            # What ran in between may run there again: a notebook whose cells are run in turn.
            before = known.between if known is not None else None
            known = _Known(self._stretch)
            known.before = before
        elif known.runs:
            known.before = known.between
        known.runs += 1
        known.between, known.left = set(), 0
        # The one that ran last stands last.
        self._known[key] = known
        if len(self._known) > _MAX_CELLS:
            del self._known[next(iter(self._known))]
        return known.stretch

    def end(self, source: str, left: int | None) -> None:
        """That run has ended and left so many bytes; None where nobody knows."""
        key = hash(source.strip())
        moved = LEFT_BETWEEN + 1 if left is None else abs(left)
        for other, known in self._known.items():
            if other != key:
                known.between.add(key)
                if known.before is None or key not in known.before:
                    known.left += moved

    def runs(self, source: str) -> int:
        """How often this source ran in its stretch."""
        known = self._known.get(hash(source.strip()))
        return 0 if known is None else known.runs
