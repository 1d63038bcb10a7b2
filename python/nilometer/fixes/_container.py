"""A container that grows, and all that the program does with it.

In: a holder as a report names it. Out: where it is made, added to and read, each understood.
Never: a use that is not understood taken for harmless: it is refused with its place.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from nilometer import _native
from nilometer.fixes._project import Project
from nilometer.fixes._source import Refused, Source
from nilometer.fixes.words import container as words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


@dataclass
class Added:
    """A statement that adds to it: `expression.append(value)` or `expression[key] = value`."""

    source: Source
    statement: ast.stmt
    container: ast.expr
    value: ast.expr
    key: ast.expr | None = None


@dataclass
class Container:
    """One container: what it is called, and its uses."""

    name: str
    kind: str = ""
    added: list[Added] = field(default_factory=list)
    reads: list[tuple[Source, ast.expr]] = field(default_factory=list)


def of(project: Project, holder: dict[str, Any]) -> Container:
    """The container that a holder of a report names, with all its uses."""
    path = str(holder["path"])
    function, around, name = _native.holder_path(path)
    if not name.isidentifier():
        raise Refused(words.nameless(path))
    project.refuse_blind(name)
    found = Container(name)
    made = 0
    for source, node in _mentions(project, function, around, name, str(holder.get("owner") or "")):
        kind = _made(source, node)
        if kind:
            if found.kind not in ("", kind):
                raise Refused(words.two_kinds(name, found.kind, kind))
            found.kind = kind
            made += 1
            continue
        added = _added(source, node)
        if added:
            found.added.append(added)
        elif not isinstance(getattr(node, "ctx", None), ast.Load):
            raise Refused(words.set_elsewhere(source.place(node), name))
        elif not _emptied(source, node):
            found.reads.append((source, node))
    if not made:
        raise Refused(words.never_made(name))
    if not found.added:
        raise Refused(words.never_added(name))
    return found


def added_at(project: Project, source: Source, line: int) -> tuple[str, str]:
    """What the statement at a line adds to: its path and owner as a report would name them, or nothing."""
    for node in ast.walk(source.tree):
        if not isinstance(node, (ast.Name, ast.Attribute)):
            continue
        added = _added(source, node)
        if added is None or not added.statement.lineno <= line <= (added.statement.end_lineno or 0):
            continue
        if isinstance(node, ast.Attribute):
            own = isinstance(node.value, ast.Name) and node.value.id == "self"
            owner = _class_name(source, node)
            return (f"{owner}.{node.attr}[*]", owner) if own and owner else ("", "")
        function = source.function(node)
        stored = function and any(
            isinstance(n, ast.Name) and n.id == node.id and isinstance(n.ctx, ast.Store)
            for n in ast.walk(function)
        )
        if function and stored:
            return f"{function.name}(): {node.id}[*]", ""
        module = "__main__" if source.path == project.start else source.path.stem
        return f"{module}.{node.id}[*]", ""
    return "", ""


def _mentions(
    project: Project, function: str, around: str, name: str, owner: str
) -> Iterator[tuple[Source, ast.expr]]:
    """All expressions that may be this container: of a function, a module or an object, `around`."""
    if function and not around:
        yield from _local(project, function, name)
        return
    is_dotted = all(word.isidentifier() for word in around.split("."))
    top = [source for source in project.sources.values() if _is_global(source, name)]
    if not function and is_dotted and top and (not owner or owner == around or around == "__main__"):
        yield from _global(project, around, name, top)
        return
    yield from _attribute(project, name, owner)


def _is_global(source: Source, name: str) -> bool:
    targets: list[ast.expr] = []
    for statement in source.tree.body:
        if isinstance(statement, ast.Assign):
            targets += statement.targets
        elif isinstance(statement, ast.AnnAssign):
            targets.append(statement.target)
    return any(isinstance(target, ast.Name) and target.id == name for target in targets)


def _local(project: Project, function: str, name: str) -> Iterator[tuple[Source, ast.expr]]:
    homes = []
    for source in project.sources.values():
        for node in ast.walk(source.tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == function:
                uses = [n for n in ast.walk(node) if isinstance(n, ast.Name) and n.id == name]
                if uses:
                    homes.append((source, uses))
    if len(homes) != 1:
        raise Refused(words.no_function(function, name))
    for node in homes[0][1]:
        yield homes[0][0], node


def _global(project: Project, module: str, name: str, top: list[Source]) -> Iterator[tuple[Source, ast.expr]]:
    file = module.rpartition(".")[2] + ".py"
    homes = [s for s in top if s.path == project.start] if module == "__main__" else []
    homes = homes or [
        s for s in top if s.path.name == file or s.path.parent.name == module.rpartition(".")[2]
    ]
    if len(homes) != 1:
        raise Refused(words.no_file(module))
    for source in project.sources.values():
        for node in ast.walk(source.tree):
            if isinstance(node, ast.ImportFrom) and any(alias.name in (name, "*") for alias in node.names):
                if source is not homes[0] and (node.module or "").endswith(module.rpartition(".")[2]):
                    raise Refused(words.imported(f"{source.shown}:{node.lineno}", name))
                continue
            here = isinstance(node, ast.Name) and node.id == name and source is homes[0]
            there = isinstance(node, ast.Attribute) and node.attr == name and _is_module(source, node.value)
            if here or there:
                assert isinstance(node, ast.expr)
                yield source, node


def _is_module(source: Source, node: ast.expr) -> bool:
    """Whether it is, or may be, a module that was imported: `data` or `package.data`."""
    while isinstance(node, ast.Attribute):
        node = node.value
    imports = (n for n in ast.walk(source.tree) if isinstance(n, (ast.Import, ast.ImportFrom)))
    known = {(alias.asname or alias.name).partition(".")[0] for n in imports for alias in n.names}
    return isinstance(node, ast.Name) and node.id in known


def _attribute(project: Project, name: str, owner: str) -> Iterator[tuple[Source, ast.expr]]:
    owners = {s for s in project.sources.values() for c in ast.walk(s.tree) if _is_class(c, owner)}
    if len(owners) != 1:
        raise Refused(words.no_class(owner, name))
    for source in project.sources.values():
        for node in ast.walk(source.tree):
            if isinstance(node, ast.Attribute) and node.attr == name:
                yield source, node
            elif isinstance(node, ast.Name) and node.id == name:
                inside = source.parent(source.statement(node))
                if isinstance(inside, ast.ClassDef):
                    yield source, node
    makers = {
        _class_name(source, node)
        for source in project.sources.values()
        for node in ast.walk(source.tree)
        if isinstance(node, (ast.Attribute, ast.Name)) and _named(node) == name and _made(source, node)
    }
    if len(makers - {""}) > 1:
        raise Refused(words.many_classes(name))


def _is_class(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.ClassDef) and node.name == name


def _named(node: ast.Attribute | ast.Name) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id


def _class_name(source: Source, node: ast.AST) -> str:
    while node in source.parents:
        node = source.parents[node]
        if isinstance(node, ast.ClassDef):
            return node.name
    return ""


def _made(source: Source, node: ast.expr) -> str:
    """`list` or `dict` if this is where it is made, empty."""
    statement = source.parent(node)
    value: ast.expr | None = None
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    if isinstance(statement, (ast.Assign, ast.AnnAssign)) and (
        targets == [node] or getattr(statement, "target", None) is node
    ):
        value = statement.value
    if isinstance(value, ast.List) and not value.elts:
        return "list"
    if isinstance(value, ast.Dict) and not value.keys:
        return "dict"
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and not (value.args + value.keywords):
        return value.func.id if value.func.id in ("list", "dict") else ""
    return ""


def _emptied(source: Source, node: ast.expr) -> bool:
    """Whether all is thrown out there, which asks for nothing that is in it: `saved.clear()`."""
    parent = source.parent(node)
    call = source.parent(parent)
    clears = isinstance(parent, ast.Attribute) and parent.attr == "clear" and isinstance(call, ast.Call)
    return clears and isinstance(source.parent(call), ast.Expr)


def _added(source: Source, node: ast.expr) -> Added | None:
    parent = source.parent(node)
    if isinstance(parent, ast.Attribute) and parent.attr == "append":
        call = source.parent(parent)
        statement = source.parent(call)
        if (
            isinstance(call, ast.Call)
            and call.func is parent
            and isinstance(statement, ast.Expr)
            and len(call.args) == 1
            and not call.keywords
            and not isinstance(call.args[0], ast.Starred)
        ):
            return Added(source, statement, node, call.args[0])
    if isinstance(parent, ast.Subscript) and parent.value is node and isinstance(parent.ctx, ast.Store):
        statement = source.parent(parent)
        if isinstance(statement, ast.Assign) and statement.targets == [parent]:
            return Added(source, statement, node, statement.value, parent.slice)
    return None
