"""What a stranger reads has short sentences: the README, and the site without its pages for engineers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MOST_WORDS = 25
# Sections of their own in the navigation: for people who change Nilometer, or who count.
ENGINEERS = (
    "docs/design/",
    "docs/measurements.md",
    "docs/marks.md",
    "docs/probes.md",
    "docs/capture-format.md",
)
# Written by a script, from words that are judged where they stand.
MADE = ("docs/reference/", "docs/causes.md")


def pages() -> list[str]:
    found = ["README.md", "CONTRIBUTING.md", "SECURITY.md"]
    found += sorted(str(page.relative_to(ROOT)) for page in (ROOT / "docs").rglob("*.md"))
    return [page for page in found if not page.startswith((*ENGINEERS, *MADE))]


def sentences(text: str) -> list[str]:
    """Sentences of paragraphs, list items and cells; a colon that begins an explanation ends one."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    text = re.sub(r"`[^`]*`", "code", text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    blocks: list[str] = []
    for line in text.splitlines():
        if re.match(r" {4}\S", line) and not (blocks and re.match(r"[*\d]", blocks[-1])):
            continue  # code
        if not line.strip() or line.startswith(("#", "|---")):
            blocks.append("")
        elif line.startswith("|"):
            blocks += line.strip("|").split("|")
        elif re.match(r"\s*([*-]|\d+\.) ", line) or not blocks:
            blocks.append(line.strip())
        else:
            blocks[-1] += " " + line.strip()
    return [part for one in blocks for part in re.split(r"(?<=[.!?:;])[\"*)]*\s+", one) if part.strip()]


def words(sentence: str) -> int:
    return len(re.findall(r"[^\s*_]*\w[^\s]*", sentence))


@pytest.mark.parametrize("page", pages())
def test_no_sentence_is_long(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    long = [f"{words(one)}: {one}" for one in sentences(text) if words(one) > MOST_WORDS]
    assert long == []


def test_long_sentences_are_seen() -> None:
    long = "word " * 26
    assert [
        words(one) for one in sentences(f"Short one. {long}.\n\n    {long}\n\n* an item\n  {long}\n")
    ] == [2, 26, 28]
