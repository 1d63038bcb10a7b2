"""Fixtures of this folder; what tests import has a module name of its own, as `conftest` is not unique."""

from plan_desk import desk

__all__ = ["desk"]
