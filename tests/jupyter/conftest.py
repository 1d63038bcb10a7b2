"""Fixtures of this folder; what tests import has a module name of its own, as `conftest` is not unique."""

from kernels import plain, recorded

__all__ = ["plain", "recorded"]
