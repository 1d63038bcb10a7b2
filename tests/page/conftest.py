"""Fixtures of this folder; what tests import has a module name of its own, as `conftest` is not unique."""

from pages import browser, pages

__all__ = ["browser", "pages"]
