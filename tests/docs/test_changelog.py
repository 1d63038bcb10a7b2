"""A fragment of the changelog says all that its kind has to say."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))

import changelog

FIXED = "kind: fixed\nsymptom: It fell.\ncause: A step was missing.\nbefore: a fall.\nafter: none.\n"


def written(folder: Path, text: str) -> Path:
    path = folder / "1.md"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_fix_tells_its_cause_and_both_sides(tmp_path: Path) -> None:
    told = changelog.entry(changelog.fragment(written(tmp_path, FIXED)))
    assert told == "* It fell. A step was missing.\n    * Before: a fall.\n    * Now: none."


@pytest.mark.parametrize(
    "text",
    [
        FIXED.replace("cause: A step was missing.\n", ""),
        FIXED.replace("cause: A step was missing.", "cause: "),
        FIXED + "after: twice.\n",
        FIXED.replace("fixed", "better"),
        "kind: new\nafter: this.\n",
        "It fell.\n",
    ],
)
def test_a_fragment_that_says_too_little_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(ValueError, match=r"1\.md"):
        changelog.fragment(written(tmp_path, text))


def test_the_newest_version_stands_first_and_is_the_one_that_is_built() -> None:
    root = Path(__file__).parents[2]
    page = changelog.changelog()
    built = (root / "Cargo.toml").read_text(encoding="utf-8").split('version = "')[1].split('"')[0]
    assert page.index(f"## {built}\n") < page.index("## 0.1.0\n")
