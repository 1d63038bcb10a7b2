"""The page of a difference: what it says, its picture, what is folded, narrow and dark screens."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from browser import Browser
from pages import BLOCK, Pages

MENDED = """
import nilometer

kept = []

def keep(size):
    kept[:] = [bytearray(size)]

for step in range(16):
    with nilometer.phase("work"):
        keep(2 << 20)
    nilometer.cycle()
"""


@pytest.fixture(scope="module")
def compared(pages: Pages) -> Path:
    """The leak, and the same program that keeps only the last."""
    folder = pages.folder / "mended"
    folder.mkdir()
    (folder / "train.py").write_text(MENDED, encoding="utf-8")
    pages.run("run", "-q", "-f", "--sample", "64K", "-o", "mended.nilo", "mended/train.py")
    pages.run("diff", "train.nilo", "mended.nilo", "--html", "-o", ".")
    return pages.folder / "train-to-mended.html"


def data_of(page: Path) -> dict[str, Any]:
    found = BLOCK.search(page.read_text(encoding="utf-8"))
    assert found
    data: dict[str, Any] = json.loads(found[2])
    return data


def test_it_says_what_became_of_the_growth(compared: Path, browser: Browser) -> None:
    page = browser.open(compared)
    assert page.text("h1").startswith("Less: it does not leak any more (2.0 MiB per step before)")
    assert "Leak, +2.0 MiB per step" in page.text(".side-a")
    assert "No leak" in page.text(".sides .side-b")
    growth = page.text("#growth .deltas")
    assert "-2.0 MiB per stepwent" in growth
    assert "keep" in growth
    assert page.text("#levels").count("MiB") >= 2
    assert page.complaints() == []
    page.close()


def test_both_curves_are_read_by_keys_and_pointer(compared: Path, browser: Browser) -> None:
    page = browser.open(compared)
    page.focus("svg.curve")
    page.press("Home")
    page.press("ArrowRight")
    assert page.text("#curve .readout").startswith("After step 2: ")
    left, top, width, height = page.place("svg.curve")
    page.point(left + width - 9, top + height / 2)
    last = page.text("#curve .readout")
    assert last.startswith("After step 16: ")
    assert "(-" in last, "the mended one has less"
    page.click("#curve summary")
    page.wait("document.querySelectorAll('#curve tbody tr').length === 16")
    page.close()


def test_what_is_the_same_is_folded(compared: Path, browser: Browser) -> None:
    data = data_of(compared)
    same = {"change": "same", "a": 5 << 20, "b": 5 << 20, "difference": 0}
    data["diff"]["sites"] += [{"name": f"calm.py line{i}", **same} for i in range(30)]
    text = compared.read_text(encoding="utf-8")
    other = compared.with_name("calm.html")
    other.write_text(BLOCK.sub(lambda found: found[1] + json.dumps(data) + found[3], text), encoding="utf-8")
    page = browser.open(other)
    shown = page.read(
        "[...document.querySelectorAll('#growth li')].filter((e) => e.checkVisibility()).length"
    )
    assert 1 <= shown < 10
    page.click("#growth summary")
    assert (
        page.read("[...document.querySelectorAll('#growth li')].filter((e) => e.checkVisibility()).length")
        >= 30
    )
    page.close()


@pytest.mark.parametrize("dark", [False, True])
def test_hostile_and_long_names_stay_words_that_fit(compared: Path, browser: Browser, dark: bool) -> None:
    data = data_of(compared)
    hostile = "</script><img src=x onerror=document.title='owned'>" + "/long" * 60
    data["diff"]["sentence"] = data["diff"]["a"]["name"] = hostile
    for one in data["diff"]["sites"] + data["diff"]["levels"]:
        one["name"] = hostile
    block = json.dumps(data).replace("<", "\\u003c")
    text = compared.read_text(encoding="utf-8")
    other = compared.with_name("hostile-diff.html")
    other.write_text(BLOCK.sub(lambda found: found[1] + block + found[3], text), encoding="utf-8")
    page = browser.open(other, width=380, dark=dark)
    assert page.read("document.documentElement.scrollWidth") <= 380
    assert page.read("document.images.length") == 0
    assert "<img src=x" in page.text("h1")
    assert page.complaints() == []
    page.close()
