"""The page of a program that runs: it follows, and leaves what somebody reads; the list; two compared."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import Browser, Page
from pages import COMMAND, PATIENCE, Pages
from served import Served

PROGRAM = """
import sys
import nilometer

kept = []
for line in sys.stdin:
    for _ in range(int(line)):
        kept.append(bytearray(1 << 20))
        nilometer.cycle()
"""


class Running:
    """A program that takes so many steps as it is told."""

    def __init__(self, folder: Path) -> None:
        (folder / "asked.py").write_text(PROGRAM, encoding="utf-8")
        command = [*COMMAND, "run", "-q", "-f", "--sample", "64K", "-o", "asked.nilo", "asked.py"]
        self.process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        self.capture = folder / "asked.nilo"
        end = time.monotonic() + PATIENCE
        while not (self.capture.exists() and self.capture.stat().st_size > 0):
            assert time.monotonic() < end
            assert self.process.poll() is None
            time.sleep(0.01)

    def step(self, count: int) -> None:
        assert self.process.stdin
        self.process.stdin.write(f"{count}\n".encode())
        self.process.stdin.flush()

    def end(self) -> None:
        self.process.communicate(timeout=PATIENCE)


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Running]:
    one = Running(tmp_path)
    yield one
    if one.process.poll() is None:
        one.process.kill()
        one.process.communicate()


def steps(page: Page, count: int) -> None:
    page.wait(f"document.querySelector('#verdict .facts').textContent.includes('{count} steps')")


def test_the_page_follows_the_program_to_its_end(running: Running, browser: Browser) -> None:
    running.step(4)
    with Served(running.capture) as served:
        page = browser.visit(served.link)
        page.wait("document.querySelector('#top .badge')?.textContent === 'running'")
        steps(page, 4)
        running.step(16)
        steps(page, 20)
        page.wait("document.querySelector('h1').textContent.startsWith('Leak')")
        assert page.read("document.title").startswith("Memory of asked.py leaks: +1.0 MiB")
        order = page.read("[...document.querySelectorAll('#report > section')].map((one) => one.id)")
        assert order[:3] == ["verdict", "curve", "findings"]
        assert len(order) == len(set(order))
        running.step(5)
        running.end()
        steps(page, 25)
        page.wait("document.querySelector('#top .badge').textContent === 'ended'")
        assert page.complaints() == []
        page.close()


def test_what_somebody_reads_stays(running: Running, browser: Browser) -> None:
    running.step(20)
    with Served(running.capture) as served:
        page = browser.visit(served.link)
        page.wait("document.querySelector('#sites') !== null")
        # The first report may be of a moment before the steps were written.
        buttons = "[...document.querySelectorAll('#curve button')]"
        page.wait(f"{buttons}.some((one) => one.textContent.trim() === 'the steps')")
        page.click_text("#curve button", "the steps")
        page.point(1, 1)
        page.focus("#sites input[type=search]")
        page.type("asked")
        page.press("Enter")
        before = page.text("#sites .found")
        page.read("document.activeElement.blur()")
        running.step(10)
        steps(page, 30)
        assert page.texts("#curve button[aria-pressed=true]") == ["the steps"]
        assert (
            page.text("#sites .found"),
            page.read("document.querySelector('#sites input[type=search]').value"),
        ) == (
            before,
            "asked",
        )
        page.click_text("#sites button", "Show what is new")
        assert page.read("document.querySelector('#sites input[type=search]').value") == ""
        assert page.read("document.querySelectorAll('.newer').length") == 0
        assert page.complaints() == []
        page.close()


def test_a_server_that_ended_is_said(running: Running, browser: Browser) -> None:
    running.step(4)
    with Served(running.capture) as served:
        page = browser.visit(served.link)
        steps(page, 4)
        assert served.interrupt() == 0
        page.wait("document.querySelector('#top .badge').textContent === 'not connected'")
        assert "4 steps" in page.text("#verdict"), "what was read stays"
        page.close()


@pytest.mark.parametrize("width", [380, 1200])
def test_the_list_leads_to_pages_and_to_two_compared(
    pages: Pages, browser: Browser, tmp_path: Path, width: int
) -> None:
    for name in ("first", "second", "long-" + "name" * 30):
        (tmp_path / f"{name}.nilo").write_bytes((pages.folder / "train.nilo").read_bytes())
    with Served(tmp_path) as served:
        page = browser.visit(served.link, width=width)
        page.wait("document.querySelectorAll('.shelf .leak').length === 3")
        assert page.text(".shelf .says").count("+2.0 MiB per step") == 3
        assert page.read("document.documentElement.scrollWidth") <= width
        assert page.read("document.querySelector('#shelf .bar button').disabled") is True
        page.click("#choose-first\\.nilo")
        page.click("#choose-second\\.nilo")
        (tmp_path / "third.nilo").write_bytes((pages.folder / "train.nilo").read_bytes())
        page.wait("document.querySelectorAll('.shelf .leak').length === 4")
        page.lead(lambda: page.click_text("#shelf .bar button", "Compare"))
        assert page.text("h1").startswith("Same: ")
        page.lead(lambda: page.click(".home"))
        page.wait("document.querySelectorAll('.shelf .leak').length === 4")
        page.lead(lambda: page.click_text(".shelf code", "third.nilo"))
        page.wait("document.querySelector('#top .badge')?.textContent === 'ended'")
        assert page.text(".finding").count("train.py:7") > 0
        assert page.complaints() == []
        page.close()
