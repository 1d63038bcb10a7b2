"""One version everywhere: Cargo, the Python project, the package."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def version(path: str, pattern: str) -> str:
    found = re.search(pattern, (ROOT / path).read_text(), re.MULTILINE)
    assert found is not None, path
    return found.group(1)


def test_versions_agree() -> None:
    cargo = version("Cargo.toml", r'^version = "(.+?)"')
    assert version("pyproject.toml", r'^version = "(.+?)"') == cargo
    assert version("python/nilometer/__init__.py", r'^__version__ = "(.+?)"') == cargo
