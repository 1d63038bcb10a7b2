"""Whose file it is: Python is answered by the rule that Rust uses, for each row of the table they share."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import groupby
from pathlib import Path

import pytest

TABLE = Path(__file__).resolve().parents[2] / "crates" / "model" / "tests" / "file_owners.tsv"
STANDARD, OURS = "/opt/py", "/venv/lib/python3.11/site-packages/nilometer"

# What a process learned of frameworks it does not forget: one process for rows that were told the same.
PROGRAM = """
import json, sys
from nilometer import _native
answers = []
for file, said, own, imported, folders in json.load(sys.stdin):
    known = folders == "known"
    _native.know_code({standard!r} if known else "", {ours!r} if known else "", own)
    name, _, folder = imported.partition("=")
    if folder:
        _native.learn_module(name, folder + "/__init__.py")
    answers.append(_native.is_users(file))
print(json.dumps(answers))
"""


def rows() -> list[list[str]]:
    lines = TABLE.read_text().splitlines()
    return [line.split("\t") for line in lines if not line.startswith("#")][1:]


def imported(row: list[str]) -> str:
    return row[3]


@pytest.mark.parametrize(
    "told", [list(group) for _, group in groupby(sorted(rows(), key=imported), key=imported)]
)
def test_python_is_told_the_owner_that_the_table_says(told: list[list[str]]) -> None:
    program = PROGRAM.format(standard=STANDARD, ours=OURS)
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=json.dumps(told),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    for row, answer in zip(told, json.loads(done.stdout), strict=True):
        assert answer == (row[1] == "user"), row


def test_names_of_frameworks_are_told() -> None:
    from nilometer import _native

    assert {"keras", "torch", "jax", "numpy"} <= set(_native.frameworks())
