"""A report as text, as HTML and as a data frame."""

from __future__ import annotations

import re
import subprocess
import sys
from html.parser import HTMLParser

import nilometer
import pytest
from recorded import EVIDENCE, Recorded

# Takes the place of pandas in a process of its own, where it cannot be imported.
WITHOUT_PANDAS = """
import sys
sys.modules["pandas"] = None
import nilometer
nilometer.read(sys.argv[1]).to_frame()
"""


def test_text_is_the_terminals(recorded: Recorded, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(recorded.capture.parent)  # lines of source are read from where the program's files lie
    read = nilometer.read(recorded.capture)
    lines = str(read).splitlines()
    assert lines[0].startswith("nilometer  <b>.py: 24 steps in ")
    assert any(line.startswith("LEAK  +2") for line in lines)
    assert any(line.strip().startswith("kept at") or line.strip().startswith("made at") for line in lines)
    assert len(lines) < 20
    screen = recorded.run("report", recorded.capture).splitlines()
    own = [line for line in lines if not re.match(r" +and \d+ more finding", line)]
    assert own == screen[: len(own)]
    assert repr(read) == "<nilometer.Report of <b>.py: leak>"


class Card(HTMLParser):
    """Takes a card apart, and refuses what does not belong there."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in {"div", "strong", "code", "br"}, tag
        assert {name for name, _ in attrs} <= {"style"}
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def card(read: nilometer.Report) -> str:
    taken = Card()
    taken.feed(read._repr_html_())
    taken.close()
    assert taken.open == []
    return taken.text


def test_a_card_has_the_verdict_and_no_markup_of_the_programs(recorded: Recorded) -> None:
    read = nilometer.read(recorded.capture)
    markup = read._repr_html_()
    assert "<b>" not in markup
    assert "&lt;b&gt;.py" in markup
    text = card(read)
    assert "LEAK" in text
    assert re.search(r"\+2\.\d+ MiB per step since step \d+", text)
    assert "<b>.py:6" in text
    assert f"nilometer report {recorded.capture} --html" in text
    change = read.findings[0].change
    assert change is None or change in text


def test_a_card_can_be_read_on_any_background(recorded: Recorded) -> None:
    markup = nilometer.read(recorded.capture)._repr_html_()
    assert set(re.findall(r"[; \"]color:([^;\"]+)", markup)) == {"inherit"}
    assert card(nilometer.read(EVIDENCE))


def test_a_frame_is_the_timeline(recorded: Recorded) -> None:
    pandas = pytest.importorskip("pandas")
    read = nilometer.read(recorded.capture)
    frame = read.to_frame()
    assert list(frame.columns) == ["seconds", "cycle", "live_bytes", "anonymous_bytes", "file_bytes"]
    assert len(frame) == len(read.timeline)
    for row, point in zip(frame.itertuples(), read.timeline, strict=True):
        assert (row.seconds, row.cycle) == (point.seconds, point.cycle)
        assert (None if pandas.isna(row.live_bytes) else row.live_bytes) == point.live_bytes
    assert str(frame["live_bytes"].dtype) == "Int64"


def test_without_pandas_it_says_what_to_install(recorded: Recorded) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_PANDAS, recorded.capture], capture_output=True, text=True
    )
    assert done.stderr.splitlines()[-1].startswith(
        "ImportError: to_frame() needs pandas, which is not installed"
    )
    assert "pip install pandas" in done.stderr
