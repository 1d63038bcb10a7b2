"""Finished packages of Python keep their sentences in `words.py`; other literals have three words at most."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from rust_literals import MAX_WORDS

PACKAGE = Path(__file__).resolve().parents[2] / "python" / "nilometer"
# The packages that are finished.
FINISHED = ("guard", "training")
CATALOGUE = "words.py"
WORD = re.compile(r"[^\W\d_][^\s{}]*")


def literals(source: str) -> Iterator[str]:
    """The texts of a module, without its documentation; what an f-string fills in is a space."""
    tree = ast.parse(source)
    parts = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    documentation = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else " " for part in node.values)
        elif isinstance(node, ast.Constant) and id(node) not in parts | documentation:
            yield str(node.value)


def sentences(source: str) -> list[str]:
    return [said for said in literals(source) if len(WORD.findall(said)) > MAX_WORDS]


@pytest.mark.parametrize("package", FINISHED)
def test_sentences_stand_in_the_catalogue_of_their_package(package: str) -> None:
    files = {file.name: file.read_text() for file in (PACKAGE / package).glob("*.py")}
    assert sentences(files.pop(CATALOGUE))
    found = {name: sentences(source) for name, source in files.items()}
    assert {name: said for name, said in found.items() if said} == {}


def test_what_a_person_reads_is_found() -> None:
    assert sentences('say("live memory grows again")')
    assert sentences('say(f"live {memory} of {name} grows again")')
    assert sentences('x = "live memory " "grows again"')
    assert not sentences('"""Live memory grows again."""\nx = "only three words"\n# live memory grows again')
