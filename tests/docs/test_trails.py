"""The trails of CONTRIBUTING.md lead where they say: each file of a step has the word to look for."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
MOST_STEPS = 3  # README.md leads to CONTRIBUTING.md, which is the first of four
STEP = re.compile(r"^\d+\. (.*)$", re.MULTILINE)
LINK = re.compile(r"\[[^\]]+\]\(([^)#]+)(#[^)]*)?\)")
TRAILS = 5


def trails() -> dict[str, list[str]]:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    part = text[text.index("## Trails") : text.index("## Where things go")]
    pieces = re.split(r"^\*\*(.+?)\*\*", part, flags=re.MULTILINE)[1:]
    return {title: STEP.findall(steps) for title, steps in zip(pieces[::2], pieces[1::2], strict=True)}


def test_each_trail_is_short() -> None:
    assert len(trails()) == TRAILS
    assert all(1 <= len(steps) <= MOST_STEPS for steps in trails().values())
    assert "](CONTRIBUTING.md)" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_each_step_leads_to_what_it_promises() -> None:
    for title, steps in trails().items():
        for step in steps:
            files = [ROOT / path for path, _ in LINK.findall(step)]
            words = re.findall(r"`([^`]+)`", step)
            assert files, step
            told = [file.read_text(encoding="utf-8") for file in files]
            assert any(word in text for text in told for word in words), f"{title} {step}"
            for file, text in zip(files, told, strict=True):
                assert any(word in text for word in words), (
                    f"{title} {file.relative_to(ROOT)} has none of {words}"
                )
