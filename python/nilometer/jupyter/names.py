"""The names of a notebook and what each keeps: the person's own, and those that IPython makes.

In: the shell's names. Out: bytes by name, in IPython's own words: `df`, `Out[12]`, `the last traceback`.
Never: a reference to a value that stays; more than some milliseconds.
"""

from __future__ import annotations

from time import thread_time
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

from nilometer.hooks.weight import size_of
from nilometer.jupyter import frames

# A look at all names takes no more time of the processor than this (seconds).
MAX_LOOK = 5e-3
_NOT_DATA = (ModuleType, type, FunctionType, BuiltinFunctionType)
_IPYTHONS = {"In", "Out", "exit", "quit", "get_ipython", "open", "display"}
_TRACEBACK = "the last traceback"


def own_names(space: dict[str, Any]) -> dict[str, Any]:
    """What the person named, without modules, functions and classes."""
    return {
        name: value
        for name, value in list(space.items())
        if not name.startswith("_") and name not in _IPYTHONS and not isinstance(value, _NOT_DATA)
    }


def outputs(space: dict[str, Any]) -> dict[int, Any]:
    """The results that are kept, by the number of their cell."""
    kept = space.get("_oh")
    return dict(kept) if isinstance(kept, dict) else {}


class Look:
    """For each name the identity and the bytes of its value; no bytes where time was short."""

    def __init__(self) -> None:
        self._of: dict[str, tuple[int, int | None]] = {}

    def sizes(self) -> dict[str, int]:
        """Bytes by name, as far as they are known."""
        return {name: size for name, (_, size) in self._of.items() if size is not None}

    def is_same(self, name: str, value: Any) -> bool:
        """Whether the name had this value, and its bytes are known."""
        old = self._of.get(name)
        return old is not None and old[0] == id(value) and old[1] is not None

    def note(self, name: str, value: Any, size: int | None) -> None:
        """The name keeps so much."""
        self._of[name] = (id(value), size)

    def keep(self, name: str, other: Look) -> None:
        """As the other look had it."""
        if name in other._of:
            self._of[name] = other._of[name]

    def since(self, before: Look) -> list[tuple[str, int]]:
        """What each name keeps more or less than then, the largest change first."""
        out = []
        for name in {**before._of, **self._of}:
            _, was = before._of.get(name, (0, 0))
            _, now = self._of.get(name, (0, 0))
            # What was not weighed then is not new now.
            if was is not None and now is not None and was != now:
                out.append((name, now - was))
        return sorted(out, key=lambda one: -abs(one[1]))


def look(space: dict[str, Any], before: Look | None = None) -> Look:
    """Weighs what every name keeps; first those whose value is another one than `before`.

    A value that has a name of the person's is not told once more as an output.
    """
    before = before or Look()
    named = own_names(space)
    ours = {id(value) for value in named.values()}
    results = {f"Out[{number}]": value for number, value in outputs(space).items() if id(value) not in ours}
    everything = [*named.items(), *results.items()]
    out, seen = Look(), set[int]()
    ends = thread_time() + MAX_LOOK
    for name, value in sorted(everything, key=lambda one: before.is_same(*one)):
        if thread_time() < ends:
            out.note(name, value, size_of(value, seen))
        elif before.is_same(name, value):
            out.keep(name, before)
        else:
            out.note(name, value, None)
    if thread_time() < ends:
        out.note(_TRACEBACK, None, sum(size for *_, size in frames.variables(space, seen)))
    return out
