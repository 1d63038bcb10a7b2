"""Runs programs of this folder's tests; what tests import has a module name of its own."""

from training_runner import run

__all__ = ["run"]
