"""Fixtures of this folder; what tests import has a module name of its own, as `conftest` is not unique."""

from attach_bench import bench

__all__ = ["bench"]
