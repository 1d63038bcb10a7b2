"""The two texts that load our package before it can be imported do it alike: they cannot share a module."""

from __future__ import annotations

import ast
from pathlib import Path

BOOT = Path(__file__).parents[2] / "python/nilometer/_boot"


def loader(name: str) -> str:
    """The function's statements, without its own words about itself."""
    functions = [
        node for node in ast.parse((BOOT / name).read_text()).body if isinstance(node, ast.FunctionDef)
    ]
    (found,) = [function for function in functions if function.name == "_load_package"]
    assert ast.get_docstring(found)
    return "\n".join(ast.unparse(statement) for statement in found.body[1:])


def test_both_load_the_package_in_the_same_way() -> None:
    assert loader("late.py") == loader("sitecustomize.py")
