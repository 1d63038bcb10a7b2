"""Fixtures of this folder; what tests import has a module name of its own, as `conftest` is not unique."""

from guard_runner import run

__all__ = ["run"]
