"""A container keeps more than anyone reads: what nobody reads is dropped.

What: a list or dictionary that grows keeps its newest things only, or of each thing the number that is
read.
How: all that the program does with it is looked at. If only its length, its first or its newest things
are read, a line behind the one that adds drops the others; where the length is read too, `None` stands in
their place. If of each thing the same number is read (`x.mean()`, `x.nbytes`), that number is kept
instead.
Refuses: any other use: an array that is plotted, saved, stacked or given away may be needed.
"""

from __future__ import annotations

import ast
import builtins
import copy

from nilometer.fixes import _container
from nilometer.fixes._case import Case, Proposal
from nilometer.fixes._container import Added, Container
from nilometer.fixes._source import Edit, Refused, Source
from nilometer.fixes.words import container as words

NAME = "keeps-what-is-read"

_FACTS = {"nbytes", "size", "shape", "ndim", "dtype"}
_NUMBERS = {"mean", "sum", "min", "max", "std", "var", "item", "median", "ptp"}
_BUILTINS = {"float", "int", "len", "abs", "bool"}
_KEYS = {"len", "list", "sorted", "max", "min", "set"}


def propose(case: Case) -> list[Proposal]:
    """One way, or none."""
    if case.holder is None:
        return []
    found = _container.of(case.project, case.holder)
    if found.kind == "dict":
        return [_keys_only(found)]
    projected = _Projection(found)
    if projected.of:
        return [projected.propose()]
    return [_newest(found)]


def _keys_only(found: Container) -> Proposal:
    """A dictionary whose values nobody reads."""
    for source, node in found.reads:
        parent = source.parent(node)
        fine = _is_call_of(parent, _KEYS, node) or _is_truth(parent, node)
        fine |= isinstance(parent, ast.Compare) and node in parent.comparators
        fine |= isinstance(parent, (ast.For, ast.comprehension)) and parent.iter is node
        if not fine:
            raise _needed(source, node, found.name)
    edits = []
    for added in found.added:
        if added.key is None or not isinstance(added.key, (ast.Name, ast.Constant, ast.Attribute)):
            raise Refused(words.unusual(added.source.place(added.statement), found.name))
        name, key = added.source.words(added.container), added.source.words(added.key)
        line = f"{name}[{key}] = None  # {words.VALUES_NEVER_READ}"
        edits.append((added.source, added.source.after(added.statement, [line])))
    return Proposal(NAME, words.keeps_keys(found.name), edits)


def _newest(found: Container) -> Proposal:
    """A list of which the length and some things at its ends are read."""
    length, first, last = False, 0, 1
    for source, node in found.reads:
        parent = source.parent(node)
        if _is_call_of(parent, {"len"}, node):
            length = True
        elif isinstance(parent, ast.Subscript) and parent.value is node and isinstance(parent.ctx, ast.Load):
            ends = _ends(parent.slice)
            if ends is None:
                raise _needed(source, parent, found.name)
            first, last = max(first, ends[0]), max(last, ends[1])
        elif not _is_truth(parent, node):
            raise _needed(source, node, found.name)
    edits = []
    for added in found.added:
        if added.key is not None:
            raise Refused(words.sets_thing(added.source.place(added.statement), found.name))
        edits.append((added.source, added.source.after(added.statement, _drop(added, length, first, last))))
    return Proposal(NAME, words.keeps_ends(found.name, length, bool(first), last), edits)


def _drop(added: Added, length: bool, first: int, last: int) -> list[str]:
    name = added.source.words(added.container)
    if not length:
        return [f"del {name}[{first or ''}:-{last}]  # {words.OLD_NEVER_READ}"]
    return [
        f"if len({name}) > {first + last}:",
        f"    {name}[-{last + 1}] = None  # {words.OLD_NEVER_READ}",
    ]


def _ends(index: ast.expr) -> tuple[int, int] | None:
    """How many things of the beginning and of the end are read by `[0]`, `[-1]`, `[-5:]` or `[:3]`."""
    if isinstance(index, ast.Slice):
        low, high = _number(index.lower), _number(index.upper)
        if index.step is None and low is not None and low < 0 and index.upper is None:
            return 0, -low
        if index.step is None and high is not None and high > 0 and (index.lower is None or low == 0):
            return high, 0
        return None
    number = _number(index)
    if number is None:
        return None
    return (number + 1, 0) if number >= 0 else (0, -number)


def _number(node: ast.expr | None) -> int | None:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _number(node.operand)
        return None if inner is None else -inner
    return node.value if isinstance(node, ast.Constant) and type(node.value) is int else None


def _is_call_of(parent: ast.AST, names: set[str], node: ast.expr) -> bool:
    return (
        isinstance(parent, ast.Call)
        and isinstance(parent.func, ast.Name)
        and parent.func.id in names
        and parent.args == [node]
    )


def _is_truth(parent: ast.AST, node: ast.expr) -> bool:
    if isinstance(parent, (ast.If, ast.While, ast.IfExp)):
        return parent.test is node
    return isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.Not)


def _needed(source: Source, node: ast.expr, name: str) -> Refused:
    parent = source.parent(node)
    shown = source.words(parent) if isinstance(parent, ast.expr) else ""
    shown = shown if 0 < len(shown) <= 60 and "\n" not in shown else source.words(node)
    return Refused(words.needed(shown, source.place(node), name))


class _Projection:
    """The same number of each thing, wherever they are read: `p.nbytes for p in saved`."""

    def __init__(self, found: Container) -> None:
        self.found = found
        self.of: list[tuple[Source, ast.expr, str]] = []
        for source, node in found.reads:
            part = source.parent(node)
            if isinstance(part, ast.comprehension) and part.iter is node:
                self._read(source, part)

    def _read(self, source: Source, part: ast.comprehension) -> None:
        whole = source.parent(part)
        simple = isinstance(whole, (ast.ListComp, ast.GeneratorExp)) and whole.generators == [part]
        if not simple or part.ifs or part.is_async or not isinstance(part.target, ast.Name):
            raise _needed(source, part.iter, self.found.name)
        assert isinstance(whole, (ast.ListComp, ast.GeneratorExp))
        name = part.target.id
        for thing in [n for n in ast.walk(whole.elt) if isinstance(n, ast.Name) and n.id == name]:
            widest = self._widest(source, thing, whole.elt)
            if widest is thing:
                raise _needed(source, part.iter, self.found.name)
            self.of.append((source, widest, name))

    def _widest(self, source: Source, node: ast.expr, top: ast.expr) -> ast.expr:
        """The number that is taken of a thing, as far out as it goes."""
        while node is not top:
            outer = source.parent(node)
            if isinstance(outer, ast.Attribute) and outer.attr in _NUMBERS:
                outer = source.parent(outer)
                method = isinstance(outer, ast.Call) and not any(map(_variable, _arguments(outer)))
                if not method:
                    return node
            elif isinstance(outer, ast.Call) and outer.args[:1] == [node]:
                others = _arguments(outer)[1:]
                named = isinstance(outer.func, ast.Name) and outer.func.id in _BUILTINS
                numpy = isinstance(outer.func, ast.Attribute) and outer.func.attr in _NUMBERS
                numpy = numpy and source.words(outer.func).partition(".")[0] in ("np", "numpy")
                if not (named or numpy) or any(map(_variable, others)):
                    return node
            elif not (isinstance(outer, ast.Attribute) and outer.attr in _FACTS):
                return node
            assert isinstance(outer, ast.expr)
            node = outer
        return node

    def propose(self) -> Proposal:
        """Keeps the number."""
        found = self.found
        shapes = {_shape(node, name) for _, node, name in self.of}
        if len(shapes) > 1:
            raise Refused(words.many_numbers(found.name))
        for source, node in found.reads:
            parent = source.parent(node)
            counted = _is_call_of(parent, {"len"}, node) or _is_truth(parent, node)
            if not counted and not (isinstance(parent, ast.comprehension) and parent.iter is node):
                raise _needed(source, node, found.name)
        source, node, name = self.of[0]
        edits = [(s, s.replace(n, thing)) for s, n, thing in self.of]
        for added in found.added:
            if added.key is not None:
                raise Refused(words.sets_thing(added.source.place(added.statement), found.name))
            _known_in(added.source, source, node, name)
            edits.append((added.source, _applied(added, source, node, name)))
        return Proposal(NAME, words.keeps_part(found.name, source.words(node)), edits)


def _arguments(call: ast.AST) -> list[ast.expr]:
    assert isinstance(call, ast.Call)
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def _variable(node: ast.expr) -> bool:
    return any(not isinstance(part, (ast.Constant, ast.UnaryOp, ast.USub)) for part in ast.walk(node))


def _shape(node: ast.expr, name: str) -> str:
    """The same for the same number of things with different names."""
    node = copy.deepcopy(node)
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and part.id == name:
            part.id = "_"
    return ast.dump(node)


def _known_in(there: Source, here: Source, node: ast.expr, name: str) -> None:
    if there is here:
        return
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and part.id != name and not hasattr(builtins, part.id):
            wanted = _import_of(here, part.id)
            if not wanted or wanted != _import_of(there, part.id):
                raise Refused(words.other_name(there.shown, part.id, here.shown))


def _import_of(source: Source, name: str) -> str:
    for node in source.tree.body:
        if isinstance(node, ast.Import):
            for alias in node.names:
                if (alias.asname or alias.name) == name:
                    return alias.name
    return ""


def _applied(added: Added, source: Source, node: ast.expr, name: str) -> Edit:
    """What is added, with the number taken of it at once."""
    value = added.source.words(added.value)
    if not isinstance(added.value, (ast.Name, ast.Call, ast.Attribute, ast.Subscript)):
        value = f"({value})"
    inner = next(part for part in ast.walk(node) if isinstance(part, ast.Name) and part.id == name)
    start, end = source.span(node)
    low, high = source.span(inner)
    text = source.text[start:low].decode() + value + source.text[high:end].decode()
    return added.source.replace(added.value, text)
