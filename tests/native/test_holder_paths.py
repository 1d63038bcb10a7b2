"""A holder's path: Python is answered by the rule that Rust uses, for each row of the table they share."""

from __future__ import annotations

from pathlib import Path

from nilometer import _native

TABLE = Path(__file__).resolve().parents[2] / "crates" / "model" / "tests" / "holder_paths.tsv"


def test_python_is_told_what_the_table_says() -> None:
    lines = [line for line in TABLE.read_text().splitlines() if not line.startswith("#")][1:]
    assert len(lines) > 50
    for line in lines:
        path, *said = line.split("\t")
        told = [word or "-" for word in _native.holder_path(path)]
        assert told == said[:3], path


def test_what_is_no_text_has_no_name() -> None:
    assert _native.holder_path(None) == ("", "", "")  # type: ignore[arg-type]
