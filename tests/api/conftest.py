"""Fixtures of this folder; what tests import has a module name of its own, as `conftest` is not unique."""

from recorded import recorded

__all__ = ["recorded"]
