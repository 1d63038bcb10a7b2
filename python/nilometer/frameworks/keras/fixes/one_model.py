"""A model is built, compiled and fitted in a loop: the first one is fitted again, from each new one's start.

What: each round builds its model as ever, so that its first weights are drawn as ever; then the model of
the first round, whose graphs are traced, takes over these weights, the state of the optimizer and its
learning rate. `clear_session()` gives back the kernels that made the variables of the new one; alone it
gives back little.
How: the lines that build the model are followed from `fit` back, also into a function of the same file.
Refuses: models that may differ in more than weights and learning rate, that are kept after their round,
or that are not built in the loop itself. With Keras 2 `clear_session()` gives the graphs back, and is
proposed instead.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from nilometer.fixes._case import Case, Proposal
from nilometer.fixes._source import Edit, Refused, Source
from nilometer.frameworks.keras.fixes import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

NAME = "one-model"
_CAUSES = ("models-in-a-loop", "tf-gradient-registry", "models-kept")
_OPTIMIZERS = {"Adam", "AdamW", "SGD", "RMSprop", "Nadam", "Adagrad", "Adadelta", "Adamax", "Lion"}
_MAX_SEEN = 6


def propose(case: Case) -> list[Proposal]:
    """One way, or none."""
    if case.cause == "growth-at-site":
        # Told by its line alone: that of a fit.
        if not any(rounds.fits_at(*line) for line in case.lines() for rounds in _loops(line[0])):
            return []
    elif case.cause not in _CAUSES:
        return []
    rounds = _rounds(case)
    if case.version("keras") == 2:
        return [_clears(rounds)]
    rounds.check()
    name = _unused(rounds.source, "fitted")
    model = rounds.name
    ahead = rounds.source.ahead(rounds.loop, [f"{name} = None"])
    lines = [
        f"if {name} is None:",
        f"    {name} = {model}",
        f"else:  # {words.FITTED_AGAIN}",
        f"    {model}.optimizer.build({model}.trainable_variables)",
        f"    for kept, new in zip({name}.variables, {model}.variables, strict=True):",
        "        kept.assign(new)",
        f"    for kept, new in zip({name}.optimizer.variables, {model}.optimizer.variables, strict=True):",
        "        kept.assign(new)",
        f"    {model} = {name}",
    ]
    if not rounds.clears():
        lines.append(f"    {_clear(rounds.source)}")
    edits: list[Edit] = [ahead, rounds.source.ahead(rounds.fit, lines)]
    return [Proposal(NAME, words.fitted_again(model), [(rounds.source, edit) for edit in edits])]


def _clears(rounds: _Rounds) -> Proposal:
    source, first = rounds.source, rounds.loop.body[0]
    if rounds.clears():
        raise Refused(words.cleared_already(source.place(rounds.loop)))
    edit = source.ahead(first, [_clear(source)])
    return Proposal("clear-session", words.GRAPHS_GIVEN_BACK, [(source, edit)])


def _clear(source: Source) -> str:
    """The call, as the file can make it."""
    for node in source.tree.body:
        names = (
            [alias.asname or alias.name for alias in node.names if alias.name == "keras"]
            if isinstance(node, ast.ImportFrom) and node.module == "tensorflow"
            else []
        )
        if names:
            return f"{names[0]}.backend.clear_session()"
        for alias in node.names if isinstance(node, ast.Import) else ():
            name = alias.asname or alias.name
            if alias.name in ("keras", "tf_keras") or alias.name == "tensorflow":
                keras = f"{name}.keras" if alias.name == "tensorflow" else name
                return f"{keras}.backend.clear_session()"
    raise Refused(words.no_keras(source.shown))


@dataclass
class _Rounds:
    """A loop, its statement that fits, and the name of the model there."""

    source: Source
    loop: ast.For | ast.While
    fit: ast.stmt
    name: str

    def clears(self) -> bool:
        """Whether the loop calls `clear_session()`."""
        return any(isinstance(n, ast.Attribute) and n.attr == "clear_session" for n in ast.walk(self.loop))

    def is_at(self, source: Source, line: int) -> bool:
        """Whether the loop has this line."""
        return source is self.source and self.loop.lineno <= line <= (self.loop.end_lineno or 0)

    def fits_at(self, source: Source, line: int) -> bool:
        """Whether the statement that fits has this line."""
        return source is self.source and self.fit.lineno <= line <= (self.fit.end_lineno or 0)

    def check(self) -> None:
        """Refuses if the models of two rounds may differ in more than weights and learning rate."""
        place = self.source.place(self.loop)
        at = self.loop.body.index(self.fit)
        before, after = self.loop.body[:at], self.loop.body[at:]
        built = [s for s in before if self.name in _stored(s)]
        if len(built) != 1 or not isinstance(built[0], ast.Assign):
            raise Refused(words.not_plain(place, self.name))
        making, needed = self._making(before, built[0])
        for use in (use for statement in after for use in _loads(statement, needed - {self.name})):
            raise Refused(words.of_its_model(use.id, self.source.place(use)))
        for statement in after:
            for use in _loads(statement, {self.name}):
                parent = self.source.parent(use)
                if not (isinstance(parent, (ast.Attribute, ast.Delete)) or _is_test(parent)):
                    raise Refused(words.is_kept(self.name, self.source.place(use)))
        varying = self._varying(before, making)
        for statement in making:
            self._check_varying(statement, varying)
        for node in ast.walk(self.source.tree):
            if isinstance(node, ast.Attribute) and node.attr == "model" and not _is_self(node.value):
                raise Refused(words.read_later(self.source.words(node), self.source.place(node)))

    def _making(self, before: list[ast.stmt], built: ast.stmt) -> tuple[list[ast.stmt], set[str]]:
        """The statements that make the model, and the names that are made for it."""
        needed = {self.name}
        making: list[ast.stmt] = []
        changed = True
        while changed:
            changed = False
            for statement in before:
                if statement in making:
                    continue
                names = {use.id for use in _loads(statement, None)}
                if _stored(statement) & needed or (isinstance(statement, ast.Expr) and names & {self.name}):
                    making.append(statement)
                    local = {name for other in before for name in _stored(other)}
                    needed |= names & local
                    changed = True
        for statement in making:
            if not isinstance(statement, (ast.Assign, ast.Expr)):
                raise Refused(words.conditional(self.source.place(statement), self.name))
        return making, needed

    def _varying(self, before: list[ast.stmt], making: list[ast.stmt]) -> set[str]:
        """Names that differ from round to round and are not the model's own."""
        varying = _names(self.loop.target) if isinstance(self.loop, ast.For) else set()
        body = [s for s in ast.walk(self.loop) if isinstance(s, ast.stmt) and s is not self.loop]
        own = {name for statement in making for name in _stored(statement)}
        return varying | {name for statement in body for name in _stored(statement)} - own

    def _check_varying(self, statement: ast.stmt, varying: set[str]) -> None:
        for use in _loads(statement, varying):
            if not self._is_rate(use):
                raise Refused(words.varies(use.id, self.source.place(use)))

    def _is_rate(self, use: ast.expr) -> bool:
        """Whether it is (a part of) the learning rate of an optimizer, or set as one."""
        node: ast.AST = use
        for _ in range(_MAX_SEEN):
            inner, node = node, self.source.parent(node)
            if isinstance(node, ast.keyword):
                if node.arg == "learning_rate":
                    return True
            elif isinstance(node, ast.Call):
                called = self.source.words(node.func).rpartition(".")[2]
                if called in _OPTIMIZERS:
                    return node.args[:1] == [inner]
                if called not in ("float", "abs", "pow"):
                    return False
            elif isinstance(node, ast.Assign):
                return all(self.source.words(t).endswith(".optimizer.learning_rate") for t in node.targets)
            elif not isinstance(node, (ast.BinOp, ast.UnaryOp)):
                return False
        return False


def _rounds(case: Case) -> _Rounds:
    """The loop that the report's lines lead to, or the only one there is."""
    found = [rounds for source in case.project.sources.values() for rounds in _loops(source)]
    lines = case.lines()
    near = [rounds for rounds in found if any(rounds.is_at(*line) for line in lines)]
    if len(near or found) != 1:
        raise Refused(words.MANY_LOOPS if near or found else words.NO_LOOP)
    return (near or found)[0]


def _loops(source: Source) -> Iterator[_Rounds]:
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Attribute) and node.attr == "fit" and isinstance(node.value, ast.Name):
            fit = source.statement(node)
            loop = source.parent(fit)
            if isinstance(loop, (ast.For, ast.While)) and fit in loop.body:
                yield _Rounds(source, loop, fit, node.value.id)


def _loads(node: ast.AST, names: set[str] | None) -> Iterator[ast.Name]:
    for part in ast.walk(node):
        if not isinstance(part, ast.Name) or isinstance(part.ctx, ast.Store):
            continue
        if names is None or part.id in names:
            yield part


def _names(nodes: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(nodes) if isinstance(part, ast.Name)}


def _stored(statement: ast.stmt) -> set[str]:
    parts: Iterable[ast.AST] = ast.walk(statement)
    return {part.id for part in parts if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}


def _is_test(parent: ast.AST) -> bool:
    return isinstance(parent, ast.Compare)


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def _unused(source: Source, name: str) -> str:
    taken = {node.id for node in ast.walk(source.tree) if isinstance(node, ast.Name)}
    while name in taken:
        name += "_"
    return name
