"""A source file that is edited by positions.

In: a file. Out: its syntax tree with parents, the text of any part, and the file with parts replaced.
Never: a file written, or a byte changed that no edit names.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path

from nilometer.fixes.words import source as words

_BOM = b"\xef\xbb\xbf"
_ENDS = re.compile(rb"\r\n|\r|\n")


class Refused(Exception):
    """There is no mechanical change; the words say why."""


@dataclass(frozen=True, order=True)
class Edit:
    """Bytes of a file replaced by others."""

    start: int
    end: int
    text: bytes


class Source:
    """One file; raises `SyntaxError`, `UnicodeDecodeError` or `OSError` where it is not Python in UTF-8."""

    def __init__(self, path: Path, shown: str) -> None:
        self.path, self.shown = path, shown
        self.before = path.read_bytes()
        self.text = self.before.removeprefix(_BOM)
        self.text.decode()
        self.tree = ast.parse(self.text)
        self.parents = {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}
        self._starts = [0, *(match.end() for match in _ENDS.finditer(self.text))]
        first = _ENDS.search(self.text)
        self.newline = first.group() if first else b"\n"

    def at(self, line: int, column: int) -> int:
        """The offset of a position as `ast` tells it: a line from 1, bytes from 0."""
        return self._starts[line - 1] + column

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """Where a node begins and ends."""
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self.at(node.lineno, node.col_offset), self.at(node.end_lineno, node.end_col_offset)

    def words(self, node: ast.expr | ast.stmt) -> str:
        """The text of a node."""
        start, end = self.span(node)
        return self.text[start:end].decode()

    def place(self, node: ast.expr | ast.stmt) -> str:
        """`train.py:12`, for people."""
        return f"{self.shown}:{node.lineno}"

    def parent(self, node: ast.AST) -> ast.AST:
        """The node that this one is a part of; the module for itself."""
        return self.parents.get(node, self.tree)

    def statement(self, node: ast.AST) -> ast.stmt:
        """The statement that an expression is in."""
        while not isinstance(node, ast.stmt):
            node = self.parents[node]
        return node

    def function(self, node: ast.AST) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
        """The function that a node is in."""
        while node in self.parents:
            node = self.parents[node]
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                return node
        return None

    def replace(self, node: ast.expr, text: str) -> Edit:
        """A node replaced."""
        start, end = self.span(node)
        return Edit(start, end, text.encode())

    def wrap(self, node: ast.expr, before: str, after: str) -> list[Edit]:
        """Text put around a node."""
        start, end = self.span(node)
        return [Edit(start, start, before.encode()), Edit(end, end, after.encode())]

    def _own_lines(self, statement: ast.stmt) -> tuple[int, int, bytes]:
        """Where the lines of a statement begin and end, and its indent; refuses if it shares them."""
        start, end = self.span(statement)
        begin = self._starts[statement.lineno - 1]
        assert statement.end_lineno is not None
        last = statement.end_lineno
        stop = self._starts[last] if last < len(self._starts) else len(self.text)
        indent, rest = self.text[begin:start], self.text[end:stop].strip()
        if indent.strip() or (rest and not rest.startswith(b"#")):
            raise Refused(words.shares_line(self.place(statement)))
        return begin, stop, indent

    def after(self, statement: ast.stmt, lines: list[str]) -> Edit:
        """Lines put behind a statement, as deep as it."""
        _, stop, indent = self._own_lines(statement)
        made = b"".join(indent + line.encode() + self.newline for line in lines)
        if stop == len(self.text) and not self.text.endswith((b"\n", b"\r")):
            made = self.newline + made[: -len(self.newline)]
        return Edit(stop, stop, made)

    def ahead(self, statement: ast.stmt, lines: list[str]) -> Edit:
        """Lines put before a statement, as deep as it; of a loop the first line is looked at only."""
        begin = self._starts[statement.lineno - 1]
        indent = self.text[begin : self.span(statement)[0]]
        if indent.strip():
            raise Refused(words.shares_line(self.place(statement)))
        return Edit(begin, begin, b"".join(indent + line.encode() + self.newline for line in lines))

    def edited(self, edits: set[Edit]) -> bytes:
        """The file with edits made; raises `Refused` if they are about the same place or do not compile."""
        text = self.text
        behind = len(text) + 1
        for edit in sorted(edits, reverse=True):
            if edit.end > behind or (edit.end == behind and edit.start == edit.end):
                raise Refused(words.same_place(self.shown))
            text = text[: edit.start] + edit.text + text[edit.end :]
            behind = edit.start
        try:
            compile(text, self.shown, "exec", dont_inherit=True)
        except SyntaxError as error:
            raise Refused(words.no_syntax(self.shown, error.msg)) from None
        return (_BOM if self.before.startswith(_BOM) else b"") + text
