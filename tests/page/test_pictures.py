"""The pictures answer: to the pointer, to keys, to the search."""

from __future__ import annotations

import synthetic
from browser import Browser, Page
from pages import Pages

READOUT = "#sites .readout"
FLAME = "canvas.flame"


def open_leak(pages: Pages, browser: Browser) -> Page:
    return browser.open(pages.leak())


def test_the_curve_is_read_by_keys(pages: Pages, browser: Browser) -> None:
    page = open_leak(pages, browser)
    page.focus("svg.curve")
    page.press("Home")
    assert page.text("#curve .readout").startswith(
        "0.0 s, before the end of the first epoch, import: live 0 B"
    )
    page.press("PageDown")
    assert "after epoch 1, epoch: live" in page.text("#curve .readout")
    page.press("End")
    assert "after epoch 40" in page.text("#curve .readout")
    assert page.read("document.querySelector('.pointer').getAttribute('visibility')") == "visible"
    page.close()


def test_the_curve_is_read_by_the_pointer(pages: Pages, browser: Browser) -> None:
    page = open_leak(pages, browser)
    left, top, width, height = page.place("svg.curve")
    page.point(left + width - 10, top + height / 2)
    assert "after epoch 40" in page.text("#curve .readout")
    page.close()


def test_the_curve_reaches_to_the_limit_and_looks_closely(pages: Pages, browser: Browser) -> None:
    page = open_leak(pages, browser)
    assert page.read("document.querySelectorAll('.limit line').length") == 0
    page.click_text("#curve button", "to the limit, with forecast")
    assert "limit 8.0 GiB (cgroup limit)" in page.text(".limit")
    assert "epoch 2030, in 33 min 10 s" in page.text(".forecast")
    page.click_text("#curve button", "the epochs")
    assert "the axis does not begin at 0" in page.text("svg.curve")
    assert page.text(".trend") == "+4.0 MiB per epoch"
    assert page.texts("#curve button[aria-pressed=true]") == ["the epochs"]
    page.close()


def test_every_table_is_there_for_those_who_see_no_picture(pages: Pages, browser: Browser) -> None:
    page = open_leak(pages, browser)
    for section in ("#curve", "#sites"):
        page.click(f"{section} details.numbers summary")
        page.wait(f"document.querySelectorAll('{section} tbody tr').length >= 5")
    label = page.read("document.querySelector('svg.curve').getAttribute('aria-label')")
    assert "live memory from 0 B to 360 MiB" in label
    page.close()


def test_a_press_zooms_and_escape_comes_back(pages: Pages, browser: Browser) -> None:
    page = open_leak(pages, browser)
    page.click_text("#sites button", "live now")
    whole = page.text(READOUT)
    assert whole.startswith("live memory: ")
    left, top, width, _ = page.place(FLAME)
    page.click_at(left + width / 10, top + 33)  # the heaviest frame of the second row
    assert page.text(READOUT).startswith("step_")
    assert page.read("document.querySelector('#sites button.quiet').disabled") is False
    page.focus(FLAME)
    page.press("Escape")
    assert page.text(READOUT) == whole
    assert page.read("document.querySelector('#sites button.quiet').disabled") is True
    page.close()


def test_keys_walk_the_flame_graph(pages: Pages, browser: Browser) -> None:
    page = open_leak(pages, browser)
    page.focus(FLAME)
    page.press("ArrowDown")
    first = page.text(READOUT)
    assert "train.py:1" in first
    page.press("ArrowRight")
    second = page.text(READOUT)
    assert second != first
    page.press("ArrowLeft")
    assert page.text(READOUT) == first
    page.press("ArrowDown")
    page.press("Enter")
    assert "keras: call_" in page.text(READOUT)
    page.press("Backspace")
    assert page.text(READOUT) == first
    page.close()


def test_a_search_finds_and_zooms(pages: Pages, browser: Browser) -> None:
    page = open_leak(pages, browser)
    page.focus("#sites input[type=search]")
    page.type("STEP_3")
    assert "place" in page.text("#sites .found[role=status]")
    page.press("Enter")
    assert page.text(READOUT).startswith("step_3 train.py:13")
    page.read("document.querySelector('#sites input[type=search]').value = ''")
    page.type("no such function")
    assert "nothing found" in page.text("#sites .bar .found")
    page.close()


def test_frames_fold_and_machine_code_comes(pages: Pages, browser: Browser) -> None:
    page = open_leak(pages, browser)
    height = "document.querySelector('canvas.flame').clientHeight"
    folded = page.read(height)
    page.click("#fold")
    unfolded = page.read(height)
    page.click_text("#sites button", "merged with machine code")
    merged = page.read(height)
    assert folded < unfolded < merged
    page.close()


def test_births_are_chosen(pages: Pages, browser: Browser) -> None:
    page = open_leak(pages, browser)
    assert page.read("document.querySelector('.births-box').hidden") is True
    page.click_text("#sites button", "by birth")
    assert page.read("document.querySelector('.births-box').hidden") is False
    some = page.text(READOUT)
    page.focus("#births-to")
    page.press("Home")
    assert "start-up and epoch 1" in page.text(".births-box .found")
    assert page.text(READOUT) != some
    page.close()


def test_the_survivors_are_read_by_keys_and_pointer(pages: Pages, browser: Browser) -> None:
    page = open_leak(pages, browser)
    readout = "#survivors .readout"
    assert page.text(readout).startswith("Of 36 epochs that could show it, 36 have memory alive")
    page.focus("canvas.matrix")
    page.press("ArrowDown")
    page.press("ArrowRight")
    assert page.text(readout).startswith("Born in start-up and epoch 1, at the end of epoch 2: ")
    left, top, _, _ = page.place("canvas.matrix")
    page.point(left + 64 + 5, top + 22 + 3)
    assert "at the end of epoch 1: 6.0 MiB alive" in page.text(readout)
    page.close()


def test_holders_are_a_tree(pages: Pages, browser: Browser) -> None:
    page = open_leak(pages, browser)
    assert page.text("#holders summary .path") == "fit(): callbacks[0]"
    assert page.texts("#holders details li .path") == [".saved[*]", ".last"]
    page.click("#holders summary")
    assert page.read("document.querySelector('#holders details').open") is False
    page.close()


def test_a_key_is_one_step_of_a_holders_path(pages: Pages, browser: Browser) -> None:
    keys = ["['a]', 1]", "['f(): x']", r"['it\'s [b].c']"]
    report = synthetic.report()
    report["holders"] = [synthetic.held(f"main(): seen{key}", 1 << 20) for key in keys]
    page = browser.open(pages.of("keys", report, synthetic.profile()))
    assert page.text("#holders summary .path") == "main(): seen"
    assert page.texts("#holders details li .path") == keys
    page.close()


def test_the_theme_turns(pages: Pages, browser: Browser) -> None:
    page = open_leak(pages, browser)
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    light = page.read(ground)
    page.click("header button")
    assert page.read(ground) != light
    assert page.text("header button") == "Light"
    page.click("header button")
    assert page.read(ground) == light
    page.close()


def test_a_finger_reads_too(pages: Pages, browser: Browser) -> None:
    page = browser.open(pages.leak(), width=380)
    left, top, width, height = page.place("svg.curve")
    touch = [{"x": left + width - 12, "y": top + height / 2}]
    page.send("Input.dispatchTouchEvent", type="touchStart", touchPoints=touch)
    page.send("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
    assert "after epoch" in page.text("#curve .readout")
    page.close()


def test_keys_bring_what_is_below_into_sight(pages: Pages, browser: Browser) -> None:
    page = open_leak(pages, browser)
    page.click("#fold")
    page.focus(FLAME)
    scrolled = "document.querySelector('.flame-box').scrollTop"
    page.read("document.querySelector('.flame-box').style.maxHeight = '120px'")
    for _ in range(12):
        page.press("ArrowDown")
    assert page.read(scrolled) > 0
    page.press("Home")
    assert page.read(scrolled) == 0
    page.close()


def test_many_holders_are_folded(pages: Pages, browser: Browser) -> None:
    report = synthetic.report()
    report["holders"] = [
        synthetic.held(f"root{i}.part{j}", 2_000_000 - i) for i in range(30) for j in range(2)
    ]
    page = browser.open(pages.of("holders", report, None))
    assert len(page.texts("#holders > .tree > li")) == 12
    assert page.text("#holders > details > summary") == "18 smaller ones: 68.7 MiB"
    page.click("#holders .tree summary")
    assert page.read("document.querySelectorAll('#holders .tree details[open]').length") == 1
    page.close()
