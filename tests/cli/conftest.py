"""Fixtures of this folder; what tests import has a module name of its own, as `conftest` is not unique."""

from cli_bench import _command_exists, bench

__all__ = ["_command_exists", "bench"]
