"""Losses are kept as tensors: the numbers are kept instead.

What: `losses.append(loss)` becomes `losses.append(float(loss))`.
How: all reads of the list are looked at: they must do with numbers what they do with tensors.
Refuses: a read that only a tensor can answer, as `losses[-1].numpy()`, or that is not understood. Whether
what is kept is one number each, only a run can tell: of anything else `float()` fails.
"""

from __future__ import annotations

import ast

from nilometer.fixes import _container
from nilometer.fixes._case import Case, Proposal
from nilometer.fixes._source import Refused, Source
from nilometer.fixes.words import container as words
from nilometer.frameworks import trials

NAME = "floats"

# Functions that take a list of numbers for a list of tensors.
_TAKES_NUMBERS = ("np.", "numpy.", "plt.", *trials.TAKES_NUMBERS)
_NUMBER_OF = {"float", "round", "int"}


def propose(case: Case) -> list[Proposal]:
    """One way, or none."""
    holder = case.holder
    if holder is None:
        return []
    elements = str(holder["elements"])
    if elements and not any(word in elements for word in trials.TENSORS):
        return []
    found = _container.of(case.project, holder)
    if found.kind != "list":
        return []
    for source, node in found.reads:
        if not _takes_numbers(source, node):
            raise Refused(words.needs_tensors(source.place(node), found.name))
    edits = []
    for added in found.added:
        value = added.value
        if added.key is not None or (isinstance(value, ast.Call) and _is_float(value)):
            raise Refused(words.no_tensor(added.source.place(added.statement), found.name))
        edits += [(added.source, edit) for edit in added.source.wrap(value, "float(", ")")]
    return [Proposal(NAME, words.keeps_numbers(found.name), edits)]


def _is_float(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Name) and call.func.id == "float"


def _takes_numbers(source: Source, node: ast.expr) -> bool:
    parent = source.parent(node)
    if isinstance(parent, ast.Call) and node in parent.args:
        if isinstance(parent.func, ast.Name):
            named = parent.func.id
            # A sum of tensors is a tensor: whoever has it must want a number.
            return named == "len" or (named in ("sum", "min", "max") and _is_number(source, parent))
        called = source.words(parent.func)
        return called.startswith(_TAKES_NUMBERS) or called.endswith(".plot")
    if isinstance(parent, ast.Subscript) and parent.value is node:
        if isinstance(parent.slice, ast.Slice):
            return _takes_numbers(source, parent)
        return _is_number(source, parent)
    if isinstance(parent, ast.comprehension) and parent.iter is node and isinstance(parent.target, ast.Name):
        whole = source.parent(parent)
        name = parent.target.id
        uses = [n for n in ast.walk(whole) if isinstance(n, ast.Name) and n.id == name]
        return all(_is_number(source, n) for n in uses if isinstance(n.ctx, ast.Load))
    if isinstance(parent, (ast.If, ast.While, ast.IfExp)):
        return parent.test is node
    return False


def _is_number(source: Source, node: ast.expr) -> bool:
    """Whether a number is made of it at once: `float(x)`, `f"{x:.3f}"`, also behind arithmetic."""
    parent = source.parent(node)
    if isinstance(parent, ast.BinOp):
        return _is_number(source, parent)
    if isinstance(parent, ast.FormattedValue):
        return parent.format_spec is not None
    if isinstance(parent, ast.Call) and isinstance(parent.func, ast.Name):
        return parent.func.id in _NUMBER_OF and parent.args[:1] == [node]
    return False
