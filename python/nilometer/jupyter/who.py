"""Who holds memory in a notebook now: names, outputs, the last traceback's frames, figures, widgets.

In: the shell. Out: rows of what, bytes or a count, and how to let go of it.
Never: an import; a reference that stays.
"""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

from nilometer.hooks.weight import size_of
from nilometer.jupyter import frames, names, words

_NAMES = 10
_OUTPUTS = 5


class Row(NamedTuple):
    """One thing that keeps memory. `size` is bytes, None where only a count is known."""

    what: str
    size: int | None
    change: str


def rows(shell: Any) -> list[Row]:
    """Everything that keeps something, in the order in which a person would look."""
    space = shell.user_ns
    return [*_named(space), *_outputs(space), *_traceback(space), *_figures(), *_widgets()]


def _named(space: dict[str, Any]) -> list[Row]:
    sized = [(name, size) for name, size in names.look(space).sizes().items() if name in space]
    largest = sorted(sized, key=lambda one: -one[1])[:_NAMES]
    return [Row(name, size, f"del {name}") for name, size in largest if size]


def _outputs(space: dict[str, Any]) -> list[Row]:
    kept = names.outputs(space)
    users = {id(value): name for name, value in names.own_names(space).items()}
    seen: set[int] = set()
    sized = [(number, size_of(value, seen), users.get(id(value))) for number, value in kept.items()]
    largest = sorted(sized, key=lambda one: -one[1])[:_OUTPUTS]
    out = []
    for number, size, user in largest:
        out.append(Row(words.output(number, user), size, words.MUTE_LINE))
    if len(kept) > len(largest):
        rest = sum(size for _, size, _ in sized) - sum(size for _, size, _ in largest)
        out.append(Row(f"{len(kept) - len(largest)} {words.MORE_OUTPUTS}", rest, words.FREE_OUTPUTS))
    return [row for row in out if row.size]


def _traceback(space: dict[str, Any]) -> list[Row]:
    seen = {id(value) for value in names.own_names(space).values()}
    held = [
        Row(words.in_traceback(name, function), size, words.FREE_TRACEBACKS)
        for name, function, size in frames.variables(space, seen)
    ]
    return sorted(held, key=lambda row: -(row.size or 0))[:_NAMES]


def _figures() -> list[Row]:
    helpers = sys.modules.get("matplotlib._pylab_helpers")
    count = len(helpers.Gcf.figs) if helpers is not None else 0
    return [Row(f"{count} open figures", None, words.CLOSE_FIGURES)] if count else []


def _widgets() -> list[Row]:
    module = sys.modules.get("ipywidgets.widgets.widget")
    kept = getattr(module, "_instances", None)
    if kept is None:
        kept = getattr(getattr(module, "Widget", None), "widgets", None)
    count = len(kept) if isinstance(kept, dict) else 0
    return [Row(f"{count} widgets", None, words.CLOSE_WIDGETS)] if count else []
