"""Fixtures of this folder; what tests import has a module name of its own, as `conftest` is not unique."""

from forms import forms

__all__ = ["forms"]
