"""Fixtures of this folder; what tests import has a module name of its own, as `conftest` is not unique."""

from native_program import program

__all__ = ["program"]
