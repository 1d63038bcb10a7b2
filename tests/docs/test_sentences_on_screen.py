"""What the tool itself prints has short sentences: each text in the sources that people may read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from test_sentences import MOST_WORDS, words

ROOT = Path(__file__).parents[2]
# The crates whose texts reach a screen; the others write records, and errors of few words.
CRATES = ("attach", "cli", "diagnose", "plan", "prove", "report")
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)


def sources() -> list[Path]:
    found = [path for crate in CRATES for path in (ROOT / "crates" / crate / "src").rglob("*.rs")]
    return sorted(path for path in found if not path.stem.endswith("tests"))


def sentences(source: str) -> list[str]:
    """Sentences of the string literals outside of tests and comments; a placeholder counts as a word."""
    code = re.sub(r"^\s*//.*$", "", source.split("#[cfg(test)]")[0], flags=re.MULTILINE)
    found = []
    for literal in LITERAL.findall(code):
        text = re.sub(r"\\\n\s*", "", literal).replace("\\n", "\n").replace("{}", "{placeholder}")
        found += re.split(r"(?<=[.!?:;])[)\"`]*\s+|\n", text)
    return found


def help_sentences(source: str) -> list[str]:
    """Sentences of documentation comments, which are the help of the options that they stand above."""
    blocks = re.findall(r"(?:^[ \t]*///.*\n)+", source, flags=re.MULTILINE)
    texts = [re.sub(r"^[ \t]*///[ ]?", "", block, flags=re.MULTILINE) for block in blocks]
    return [one for text in texts for one in re.split(r"(?<=[.!?:;])\s+|\n\n", " ".join(text.split()))]


def test_no_sentence_of_the_help_is_long() -> None:
    pages = [path for path in sources() if path.name in ("options.rs", "args.rs")]
    assert len(pages) > 5
    long = [
        f"{path.relative_to(ROOT)}: {words(one)}: {one}"
        for path in pages
        for one in help_sentences(path.read_text(encoding="utf-8"))
        if words(one) > MOST_WORDS
    ]
    assert long == []


@pytest.mark.parametrize("crate", CRATES)
def test_no_sentence_is_long(crate: str) -> None:
    long = [
        f"{path.relative_to(ROOT)}: {words(one)}: {one}"
        for path in sources()
        if path.is_relative_to(ROOT / "crates" / crate)
        for one in sentences(path.read_text(encoding="utf-8"))
        if words(one) > MOST_WORDS
    ]
    assert long == []


def test_long_sentences_are_seen() -> None:
    source = f'// "{"word " * 26}"\nlet a = "{"word " * 20}{{}} {{unit}}. {"word " * 26}\\\n   more";'
    assert [words(one) for one in sentences(source)] == [22, 27]
    help_text = "    /// " + "word " * 13 + "\n    /// " + "word " * 13 + "\n    field: u32,\n"
    assert [words(one) for one in help_sentences(help_text)] == [26]
