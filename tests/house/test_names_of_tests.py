"""Every file of tests has a name of its own: of two with one name pytest takes neither."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

TESTS = Path(__file__).parents[1]


def test_no_two_files_have_one_name() -> None:
    names = Counter(
        path.name for path in TESTS.rglob("*.py") if path.name not in ("conftest.py", "__init__.py")
    )
    assert [name for name, count in names.items() if count > 1] == []
