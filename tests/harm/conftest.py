"""Fixtures and the option of this folder; what tests import has a module name of its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from harm_bench import bench, native

__all__ = ["bench", "native"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--all-harm", action="store_true", help="also run the tests of harm that take minutes")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--all-harm", default=False):
        return
    for item in items:
        if Path(__file__).parent in item.path.parents and item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.skip(reason="takes minutes; --all-harm runs it"))
