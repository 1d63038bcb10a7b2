"""What fixes say of a traced function and of the call that traces it anew each time.

In: places as `train.py:12`, names and texts of the program. Out: what changes, or what was not found.
Never: a decision, or a change of the program.
"""

from __future__ import annotations

NO_ARGUMENT = "the report does not name the argument that differs"


def gets(function: str, given: str, kind: str) -> str:
    """`given` is what the call has instead of a number of this kind."""
    return f"{function} gets `{given}` instead of a Python {kind}"


def no_caller(function: str) -> str:
    """The call is in a library."""
    return f"the line that calls {function} is not in a file of the program"


def no_definition(function: str) -> str:
    """Its parameters have no names."""
    return f"the definition of {function} is not in a file of the program"


def constant(place: str, function: str) -> str:
    """It differs elsewhere."""
    return f"{place} gives {function} a number that does not change there"


def no_call(place: str, function: str) -> str:
    """None or several are on that line."""
    return f"{place} does not call {function} by its name, once"


def no_place(place: str, name: str) -> str:
    """The arguments come from a list."""
    return f"the call at {place} does not show its argument {name}"


def not_imported(file: str, module: str) -> str:
    """There is no line to put an import behind, or its usual name is taken."""
    return f"{file} does not import {module}"
