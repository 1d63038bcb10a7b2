"""What the page says: the same words and numbers as the terminal, in the order in which they are wanted."""

from __future__ import annotations

import pytest
import synthetic
from browser import Browser
from pages import Pages

MIB = 1 << 20


def test_a_real_program_is_told(pages: Pages, browser: Browser) -> None:
    data = pages.data()["report"]
    page = browser.open(pages.real)
    assert data["verdict"] == "leak"
    assert page.text("h1").startswith("Leak: +2.0 MiB per step since step ")
    assert page.text("h1 b") == "+2.0 MiB per step"
    assert "train.py:7" in page.text(".finding")
    assert "kept.append(bytearray(size))" in page.text(".finding .source")
    assert page.text(".readout").count("growth per step") == 1
    assert page.complaints() == []
    page.close()


def test_sections_come_in_their_order(pages: Pages, browser: Browser) -> None:
    page = browser.open(pages.leak())
    wanted = "verdict curve findings components sites survivors holders types start phases processes losses"
    assert page.read("[...document.querySelectorAll('main > section')].map((e) => e.id)") == wanted.split()
    assert "fit(): callbacks[0].saved[*]" in page.text(".finding")
    assert page.texts(".change code") == ["self.saved.append(preds)"]
    assert "nilometer prove train.py" in page.text(".finding .command")
    assert "12 records could not be written" in page.text("#losses")
    assert "7 samples dropped: why (what to do)" in page.text("#losses")
    assert "99 samples" not in page.text("#losses"), "what is notable stands in the losses already"
    assert page.complaints() == []
    page.close()


def test_what_is_missing_leaves_no_gap(pages: Pages, browser: Browser) -> None:
    """An old or torn capture: no recorder, no limit, no exit, nothing read."""
    report = synthetic.report()
    report |= {"verdict": "undecided", "growth": None, "forecast": None, "sampling": None, "timeline": []}
    report |= {"findings": [], "holders": [], "components": [], "processes": [], "losses": []}
    report["recorder"] = "off: --no-recorder"
    report["cycles"] = {"unit": "window", "count": 0, "needed": 6, "seconds": None}
    report["memory"] = dict.fromkeys(report["memory"])
    report["program"] |= {"exit": None, "python": None, "pid": None, "frameworks": {}}
    for optional in ("phases", "phase_totals", "holders", "objects"):
        del report[optional]
    page = browser.open(pages.of("bare", report, None, "run 6 more windows."))
    assert page.text("h1") == "Undecided: run 6 more windows."
    assert "undefined" not in page.text("main")
    assert "null" not in page.text("main")
    assert "off: --no-recorder" in page.text("#losses")
    assert page.complaints() == []
    page.close()


def test_a_warning_says_what_it_is_about(pages: Pages, browser: Browser) -> None:
    report = synthetic.report()
    warning = {"name": "gpu-memory-grows", "about": "gpu-memory", "sentence": "it grows", "called_at": None}
    report["warnings"] = [warning | {"change": "keep `float(loss)`"}]
    page = browser.open(pages.of("warned", report, None))
    assert page.text("#warnings h3") == "Of GPU memory: it grows"
    assert page.texts("#warnings .change code") == ["float(loss)"]
    assert page.complaints() == []
    page.close()


SIZES = [
    (1023, "1023 B"),
    (1024, "1.0 KiB"),
    (8_000_000, "7.6 MiB"),
    (250 * MIB, "250 MiB"),
    (5 * MIB // 4, "1.2 MiB"),
]


@pytest.mark.parametrize(("size", "words"), SIZES)
def test_sizes_are_the_terminals(pages: Pages, browser: Browser, size: int, words: str) -> None:
    page = browser.open(pages.of("size", synthetic.report(growth=size), None))
    assert any(fact.startswith(f"+{words} per epoch (95 %: ") for fact in page.texts("#verdict dd"))
    page.close()


def test_objects_by_type(pages: Pages, browser: Browser) -> None:
    page = browser.open(pages.leak())
    first = page.texts("#types > .types > li")
    assert first[0] == "train.Event80 to 320+240"
    assert first[1] == "keras.src.Graph10 to 30+20"
    assert first[2] == "keras.src.Batch20 to 18-2"
    assert first[3] == "dict9000 throughout"
    assert page.texts("#types > details > summary") == ["20 other types", "The numbers as a table"]
    assert "at 4 looks at the heap" in page.text("#types .lead")
    # A line for each, that of a type which was told later begins later.
    starts = page.read("[...document.querySelectorAll('#types > ul path')].map((e) => e.getAttribute('d'))")
    assert [start.count("L") for start in starts[:3]] == [2, 3, 3]
    coloured = page.texts("#types .more .path")
    assert coloured == ["train.Event"], "what came once is no course"
    page.click("#types details.numbers summary")
    assert page.texts("#types thead th") == ["type", "epoch 4", "epoch 8", "epoch 16", "epoch 32"]
    assert page.texts("#types tbody tr")[0] == "train.Event80160320"
    page.close()
    page = browser.open(pages.of("no-types", {**synthetic.report(), "objects": None}, None))
    assert page.texts("#types") == []
    page.close()


def test_counts_and_traces_of_the_framework(pages: Pages, browser: Browser) -> None:
    report = synthetic.report()
    grows = {"name": "func_graphs", "first": 3, "last": 43, "per_cycle": 1.0}
    report["probes"] = [grows, {"name": "gradient_tapes", "first": 7, "last": 7, "per_cycle": 0.0}]
    traced = {"function": "train_step", "file": "train.py", "line": 9, "traces": 40, "per_cycle": 1.5}
    report["retraced"] = [{**traced, "caller_file": "main.py", "caller_line": 77, "why": "a Python float"}]
    page = browser.open(pages.of("counts", report, None))
    counts, again = page.texts("#framework tbody")
    assert counts == "graphs that live343+1gradient tapes77"
    assert again == "train_steptrain.py:940+1.5main.py:77a Python float"
    page.close()
