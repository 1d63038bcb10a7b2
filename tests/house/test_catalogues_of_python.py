"""Each package of Python keeps its sentences in its `words`; other literals have three words at most."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from rust_literals import MAX_WORDS

PACKAGE = Path(__file__).resolve().parents[2] / "python" / "nilometer"
PACKAGES = sorted({file.parent for file in PACKAGE.rglob("*.py") if file.parent.name != "words"})
# Where they stand; an underscore hides a file from users, or says that it is no intervention.
CATALOGUE = ("words.py", "words/*.py", "_words.py")
MAX_SENTENCE_WORDS = 25
# A sentence ends with a mark and a space or a line, not within `train.py`.
ENDS = re.compile(r"[.:;](?:\s|$)")
WORD = re.compile(r"[^\W\d_][^\s{}]*")
# Literals that only machines read, by how they begin.
FOR_MACHINES = {
    # Python's own words; an import asks for what is not there yet, and shows nobody the answer.
    "__init__.py": ["module  "],
    "fixes/_engine.py": [" \n\\ No newline"],
    "frameworks/keras/fixes/one_model.py": ["    for kept, new in zip("],
    "frameworks/tensorflow/fixes/tensor_argument.py": ["argument '("],
    "jupyter/card.py": ["border:1px solid", "text-align:", "<div style=", "<tr style="],
}


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


def catalogue_of(package: Path) -> list[Path]:
    return [file for names in CATALOGUE for file in package.glob(names)]


def is_for_machines(file: str, said: str) -> bool:
    return any(said.startswith(begin) for begin in FOR_MACHINES.get(file, []))


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
def test_sentences_stand_in_the_catalogue_of_their_package(package: Path) -> None:
    catalogue = catalogue_of(package)
    found = {}
    for file in package.glob("*.py"):
        if file not in catalogue:
            name = str(file.relative_to(PACKAGE))
            found[name] = [said for said in sentences(file.read_text()) if not is_for_machines(name, said)]
    assert {name: said for name, said in found.items() if said} == {}


def test_a_catalogue_has_sentences_and_they_are_short() -> None:
    for package in PACKAGES:
        for file in catalogue_of(package):
            said = sentences(file.read_text())
            assert said or file.name == "__init__.py", file
            parts = [part for one in said for part in ENDS.split(one)]
            assert [part for part in parts if len(part.split()) > MAX_SENTENCE_WORDS] == []


def test_what_machines_read_is_there() -> None:
    for file, begins in FOR_MACHINES.items():
        said = sentences((PACKAGE / file).read_text())
        assert all(any(one.startswith(begin) for one in said) for begin in begins), file


def test_what_a_person_reads_is_found() -> None:
    assert sentences('say("live memory grows again")')
    assert sentences('say(f"live {memory} of {name} grows again")')
    assert sentences('x = "live memory " "grows again"')
    assert not sentences('"""Live memory grows again."""\nx = "only three words"\n# live memory grows again')
