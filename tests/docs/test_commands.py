"""Each option that a page writes behind a command is one of that command's."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HELP = ROOT / "tests" / "golden" / "expected" / "help"
NAMES = sorted(path.name.removesuffix("--help.txt") for path in HELP.glob("*--help.txt"))
COMMAND = re.compile(rf"nilometer ({'|'.join(NAMES)})\b([^\n`|#;&]*)")
OPTION = re.compile(r"(?<=\s)(--[a-z][a-z-]*|-[a-zA-Z])(?=[\s=]|$)")
# A word that ends the options of a command that runs a program: what stands behind it is the program's.
PROGRAM = re.compile(r"\s[\w./-]+\.(?:py|nilo)\b|\s-[mc]\s")
RUNS = ("run", "guard", "prove", "plan", "fix")
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "docs/howto").glob("*.md")])


def options(command: str) -> set[str]:
    text = (HELP / f"{command}--help.txt").read_text(encoding="utf-8")
    found = set(OPTION.findall(re.sub(r"[,\[\]]", " ", text)))
    return found | set(re.findall(r"alias(?:es)?: (--[\w-]+)", text))


def used(text: str) -> list[tuple[str, str]]:
    found = []
    for command, words in COMMAND.findall(text):
        if command in RUNS:
            program = PROGRAM.search(words.split(" -o ")[-1] if " -o " in words else words)
            words = words[: words.rindex(program.group())] if program else words
        found += [(command, option) for option in OPTION.findall(words)]
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_options_exist(page: Path) -> None:
    wrong = [(c, o) for c, o in used(page.read_text(encoding="utf-8")) if o not in options(c)]
    assert wrong == []


def test_options_are_seen() -> None:
    assert used("nilometer run --sample 64K --nonsense train.py --epochs 3\n") == [
        ("run", "--sample"),
        ("run", "--nonsense"),
    ]
    assert {"--sample", "-o", "--output", "-f"} <= options("run")
