"""The page is safe and fits: hostile strings, its policy, narrow screens, the dark, paper, no scripts."""

from __future__ import annotations

import json
from typing import Any

import pytest
import synthetic
from browser import Browser
from pages import Pages

HOSTILE = "</script><img src=x onerror=document.title='owned'>{{data}}\u202egnp\u2028\u0007\"'`${1}"


def poisoned(value: Any) -> Any:
    """The same data with every string of the program's turned against the page."""
    kept = {"kind", "unit", "verdict", "role", "basis", "confidence", "limit", "schema", "phase", "python"}
    if isinstance(value, dict):
        return {key: one if key in kept else poisoned(one) for key, one in value.items()}
    if isinstance(value, list):
        return [poisoned(one) for one in value]
    return HOSTILE if isinstance(value, str) else value


def test_hostile_strings_are_text(pages: Pages, browser: Browser) -> None:
    data = poisoned({"report": synthetic.report(), "profile": synthetic.profile(20)})
    page = browser.open(pages.of("hostile", data["report"], data["profile"], HOSTILE))
    title = page.read("document.title")
    page.click("#curve summary")
    page.click("#sites summary")
    page.focus("canvas.flame")
    page.press("ArrowDown")
    assert page.read("document.images.length") == 0
    assert page.read("document.scripts.length") == 2
    assert page.read("document.title") == title
    assert "<img src=x onerror=" in page.text(".finding h3")
    assert "\\u{202e}gnp" in page.text(".finding h3"), "what turns text around is told by its number"
    assert "\u202e" not in page.read("document.body.innerText")
    assert page.complaints() == []
    page.close()


def test_an_inline_script_of_another_does_not_run(pages: Pages, browser: Browser) -> None:
    """The policy is at work: what is not named in it is refused, and the console says so."""
    text = pages.leak().read_text(encoding="utf-8")
    attack = pages.folder / "attack.html"
    attack.write_text(
        text.replace("<footer", "<script>document.title='owned'</script><footer"), encoding="utf-8"
    )
    page = browser.open(attack)
    assert page.read("document.title") != "owned"
    assert any("Content Security Policy" in line for line in page.complaints())
    page.close()


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [320, 380, 720, 1600])
def test_no_screen_scrolls_sideways(pages: Pages, browser: Browser, width: int, dark: bool) -> None:
    report = synthetic.report()
    long = "/a/very/long/path" * 12 + "/train.py"
    report["program"]["argv"].append("--" + "x" * 300)
    report["findings"][0]["sites"][0] |= {"file": long, "text": "call(" + "argument, " * 60 + ")"}
    report["findings"][0]["sentence"] = "Word" * 60
    report["holders"][0]["holder"]["path"] = "fit(): " + "attribute." * 40
    report["losses"].append("y" * 300)
    page = browser.open(pages.of("wide", report, synthetic.profile()), width=width, dark=dark)
    page.read("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert page.read("document.documentElement.scrollWidth") <= width
    assert page.complaints() == []
    page.close()


def contrast(one: str, other: str) -> float:
    """How far two colours (`rgb(1, 2, 3)`) differ, as accessibility guidelines count it."""

    def light(color: str) -> float:
        parts = [int(part) / 255 for part in color[color.index("(") + 1 : -1].split(",")[:3]]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    brighter, darker = sorted([light(one), light(other)], reverse=True)
    return (brighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("dark", [False, True])
def test_words_stand_out(pages: Pages, browser: Browser, dark: bool) -> None:
    page = browser.open(pages.leak(), dark=dark)
    ground = page.read("getComputedStyle(document.documentElement).backgroundColor")
    for words in (
        "h1",
        "h1 .word",
        ".lead",
        ".reason",
        ".facts dt",
        ".finding .rate b",
        ".function",
        "summary",
    ):
        color = page.read(f"getComputedStyle(document.querySelector({json.dumps(words)})).color")
        assert contrast(color, ground) >= 4.5, words
    page.close()


def test_all_can_be_reached_by_keys(pages: Pages, browser: Browser) -> None:
    page = browser.open(pages.leak())
    reached = []
    for _ in range(60):
        page.press("Tab")
        reached.append(
            page.read("document.activeElement.className.baseVal ?? document.activeElement.className")
        )
        if "matrix" in reached:
            break
    assert reached[0] == "skip"
    assert {"curve", "flame", "matrix"} <= set(reached)
    nameless = page.read(
        "[...document.querySelectorAll('button, input, canvas, svg[tabindex]')].filter((e) => "
        "!(e.getAttribute('aria-label') || e.textContent.trim() || e.labels?.length)).length"
    )
    assert nameless == 0
    page.close()


def test_paper_has_all_of_it(pages: Pages, browser: Browser) -> None:
    page = browser.open(pages.leak(), dark=True)
    assert page.read("document.querySelectorAll('details.stack[open]').length") == 0
    page.read("dispatchEvent(new Event('beforeprint'))")
    folded = "document.querySelectorAll('details:not([open], .numbers)').length"
    assert page.read(folded) == 0
    page.read("dispatchEvent(new Event('afterprint'))")
    assert page.read(folded) == 2
    page.send(
        "Emulation.setEmulatedMedia",
        media="print",
        features=[{"name": "prefers-color-scheme", "value": "dark"}],
    )
    assert page.read("getComputedStyle(document.documentElement).backgroundColor") == "rgb(255, 255, 255)"
    assert page.read("getComputedStyle(document.querySelector('.choice')).display") == "none"
    assert page.pdf().startswith(b"%PDF")
    page.close()


def test_without_scripts_there_is_the_terminals_report(pages: Pages, browser: Browser) -> None:
    page = browser.open(pages.real, scripts=False)
    assert "LEAK  +2.0 MiB per step" in page.read("document.querySelector('noscript .screen').textContent")
    assert page.read("document.querySelectorAll('main > *').length") == 0
    page.close()


def test_a_redacted_page_says_so_and_holds_no_source(pages: Pages, browser: Browser) -> None:
    path = pages.report("redacted.html", "--redact")
    text = path.read_text(encoding="utf-8")
    assert "kept.append(" not in text
    assert str(pages.folder) not in text
    page = browser.open(path)
    assert "Paths, arguments and source were left out." in page.text("header")
    assert "train.py:7" in page.text(".finding")
    page.close()


def test_ten_thousand_stacks_cost_what_the_screen_can_show(pages: Pages, browser: Browser) -> None:
    report = synthetic.report(cycles=2000)
    report["phases"] = [
        {"name": ("epoch", "validation")[i % 2], "begin_seconds": 2.0 * i, "end_seconds": 2.0 * i + 2}
        for i in range(1000)
    ]
    page = browser.open(pages.of("big", report, synthetic.profile(10_000, 64, 60)))
    assert page.read("document.querySelectorAll('*').length") < 6000
    page.click("#fold")
    page.focus("#sites input[type=search]")
    page.type("call_1")
    assert "place" in page.text("#sites .bar .found")
    assert page.complaints() == []
    page.close()
