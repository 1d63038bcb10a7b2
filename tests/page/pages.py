"""Pages to look at, and the browser to look with.

The page of a small program that was recorded is made by the command line; pages of other data are the same
document with another block of data. `NILOMETER_CLI` names another command to test (shell words).
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import synthetic
from browser import Browser, find_browser

COMMAND: list[str] = shlex.split(os.environ.get("NILOMETER_CLI", "")) or [sys.executable, "-m", "nilometer"]
PATIENCE = 60  # seconds until a hang is called one
BLOCK = re.compile(r'(<script type="application/json" id="data">)(.*?)(</script>)', re.DOTALL)

PROGRAM = """
import nilometer

kept = []

def keep(size):
    kept.append(bytearray(size))

for step in range(16):
    with nilometer.phase("work"):
        keep(2 << 20)
    nilometer.cycle()
"""


class Pages:
    """A folder of pages."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "train.py").write_text(PROGRAM, encoding="utf-8")
        self.run("run", "-q", "-f", "--sample", "64K", "-o", "train.nilo", "train.py")
        self.real = self.report("real.html")

    def run(self, *words: str) -> None:
        done = subprocess.run(
            [*COMMAND, *words],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PATIENCE,
        )
        assert done.returncode == 0, done.stderr.decode()

    def report(self, name: str, *words: str) -> Path:
        self.run("report", "train.nilo", "--html", "-o", name, *words)
        return self.folder / name

    def data(self) -> dict[str, Any]:
        """What the page of the program holds."""
        found = BLOCK.search(self.real.read_text(encoding="utf-8"))
        assert found
        data: dict[str, Any] = json.loads(found[2])
        return data

    def of(
        self, name: str, report: dict[str, Any], profile: dict[str, Any] | None, headline: str = "so far."
    ) -> Path:
        """The page of other data."""
        told = {"amount": None, "rest": headline}
        data = json.dumps({"report": report, "headline": told, "profile": profile, "redacted": False})
        for character in "<>&":
            data = data.replace(character, f"\\u{ord(character):04x}")
        text = BLOCK.sub(lambda found: found[1] + data + found[3], self.real.read_text(encoding="utf-8"))
        path = self.folder / f"{name}.html"
        path.write_text(text, encoding="utf-8")
        return path

    def leak(self) -> Path:
        return self.of("leak", synthetic.report(), synthetic.profile())


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = find_browser()
    if path is None:
        pytest.skip("no Chromium on this machine: install one, or name it in CHROMIUM")
    with Browser(path) as one:
        yield one


@pytest.fixture(scope="session")
def pages(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Pages:
    """Nothing is recorded where there is no browser to look at it."""
    return Pages(tmp_path_factory.mktemp("pages"))
