"""The pages of the reference are what their script writes, and screens stand below their commands."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import docs_reference  # noqa: E402 (a script, not a package)
import screens  # noqa: E402


@pytest.mark.parametrize("name", docs_reference.PAGES)
def test_a_page_is_what_its_sources_say(name: str) -> None:
    committed = (ROOT / "docs" / name).read_text(encoding="utf-8")
    assert committed == docs_reference.PAGES[name](), "run scripts/docs_reference.py, and read the difference"


def test_every_variable_is_told() -> None:
    code = (ROOT / "crates/cli/src/env.rs").read_text(encoding="utf-8")
    assert docs_reference.variables().count("\n| `") == code.count(": &str = ")


def shown(page: str) -> dict[str, str]:
    text = (ROOT / page).read_text(encoding="utf-8")
    return {found["command"]: found["said"] for found in screens.BLOCK.finditer(text)}


@pytest.mark.parametrize("page", screens.PAGES)
def test_a_command_has_its_screen(page: str) -> None:
    told = shown(page)
    assert told
    assert all(said.strip() for said in told.values()), "run scripts/screens.py"


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) < 100


def test_pages_show_one_screen_for_one_command() -> None:
    told: dict[str, str] = {}
    for page in screens.PAGES:
        for command, said in shown(page).items():
            assert told.setdefault(command, said) == said, (
                f"{page}: run scripts/screens.py for all pages at once"
            )
