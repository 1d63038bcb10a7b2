"""The header page of a capture is described byte by byte: no gap, nothing twice, all that the code has."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def described() -> list[tuple[int, int]]:
    """Offset and size of each row about the header page."""
    page = (ROOT / "docs/capture-format.md").read_text().split("## Header page")[1].split("\n\n*")[0]
    rows = re.findall(r"^\| (\d+) \| (\d+)(?: x (\d+))? \|", page, re.M)
    return [(int(offset), int(size) * int(times or 1)) for offset, size, times in rows]


def test_its_rows_follow_each_other() -> None:
    rows = described()
    ends = [offset + size for offset, size in rows]
    assert [offset for offset, _ in rows] == [0, *ends[:-1]]
    assert ends[-1] == 4096


def test_each_offset_of_the_code_has_its_row() -> None:
    at = (ROOT / "crates/capture/src/layout.rs").read_text().split("mod at {")[1].split("}")[0]
    offsets = {int(offset) for offset in re.findall(r"usize = (\d+);", at)}
    assert offsets
    assert offsets <= {offset for offset, _ in described()}
