"""Every cause that a report can name has a page, and every page is of such a cause."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# What a finding is called where no cause explains it, and the one that is asked last of all.
GENERAL = {"loop-keeps"}


def test_every_cause_has_a_page() -> None:
    tables = [ROOT / "crates/diagnose/src/causes/mod.rs"]
    tables += (ROOT / "crates/frameworks/src").glob("*/causes/mod.rs")
    causes = GENERAL.union(
        *(re.findall(r'Cause \{ rank: \d+, name: "([a-z-]+)"', file.read_text()) for file in tables)
    )
    pages = {page.stem for page in (ROOT / "docs/causes").glob("*.md")}
    assert causes == pages


def test_every_page_has_its_parts() -> None:
    for page in (ROOT / "docs/causes").glob("*.md"):
        text = page.read_text()
        assert text.startswith(f"# {page.stem}\n"), page.name
        for part in ("Symptom.", "Why.", "How to see it.", "The change.", "Sources."):
            assert f"**{part}**" in text, f"{page.name}: {part}"
