"""The site is built without a warning, leads nowhere into the void, and asks no other host for anything."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

ROOT = Path(__file__).parents[2]
PATIENCE = 120  # seconds until a hang is called one
# What a browser loads by itself, by element and attribute. A link that a person may press is none of it.
LOADED = {("script", "src"), ("link", "href"), ("img", "src"), ("iframe", "src"), ("source", "srcset")}


class Page(HTMLParser):
    """What one page loads, where it leads, and the anchors that it has."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.leads: list[str] = []
        self.anchors: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for name, value in attributes:
            if name in ("id", "name") and value:
                self.anchors.add(value)
            if (tag, name) in LOADED and value is not None:
                self.loads.append(value)
            if (tag, name) == ("a", "href") and value is not None:
                self.leads.append(value)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if importlib.util.find_spec("material") is None:
        pytest.skip("MkDocs is not installed: its theme wants Python 3.11 or later")
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return folder


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    return {path: Page(path) for path in site.rglob("*.html")}


def test_every_page_of_the_folder_is_there(pages: dict[Path, Page], site: Path) -> None:
    written = {str(page.relative_to(ROOT / "docs").with_suffix("")) for page in (ROOT / "docs").rglob("*.md")}
    built = {str(path.relative_to(site).with_suffix("")) for path in pages}
    assert {name.replace("README", "index") for name in written} <= built


def test_no_link_is_dead(pages: dict[Path, Page], site: Path) -> None:
    dead = []
    for path, page in pages.items():
        if path.name == "404.html":  # is shown at any address, so its links begin at the root
            continue
        for link in page.leads + page.loads:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = path if not parts.path else (path.parent / unquote(parts.path)).resolve()
            if not target.is_file():
                dead.append(f"{path.relative_to(site)}: {link}")
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
                dead.append(f"{path.relative_to(site)}: {link} (no such anchor)")
    assert dead == []


def test_nothing_is_loaded_from_another_host(pages: dict[Path, Page], site: Path) -> None:
    far = [
        f"{path.name}: {link}" for path, page in pages.items() for link in page.loads if urlsplit(link).netloc
    ]
    for style in site.rglob("*.css"):
        far += re.findall(
            r"""(?:url\(|@import\s+)["']?((?:https?:)?//[^"')]+)""", style.read_text(encoding="utf-8")
        )
    assert far == []


def test_search_works_from_the_folder(site: Path, pages: dict[Path, Page]) -> None:
    assert (site / "search" / "search_index.js").is_file()
    assert any("iframe-worker" in script for script in pages[site / "index.html"].loads)
