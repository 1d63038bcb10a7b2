"""What hooks say: what they could not do, and why a function is traced or compiled once more.

In: names, numbers and errors. Out: a loss, or a reason; the diagnosis and the fixes read reasons.
Never: a decision. The hooks of every program load this file only to say a loss.
"""

from __future__ import annotations

# Losses.
EXCHANGED = "a loop whose iterator was exchanged"

# Why a function is traced or compiled once more: it is another one, ...
NEW_FUNCTION = "a new function object each time"
NEW_LAMBDA = "a new lambda each time"
NEW_METHOD = "a method of a new object each time"
# ... or its arguments differ.
NOT_GIVEN = "not given"


def no_loader(module: str) -> str:
    """A loader that takes no attribute."""
    return f"hooks of {module}: its loader cannot be wrapped"


def other_hook(framework: str) -> str:
    """It was imported past ours."""
    return f"{framework} was imported by another import hook: its marks are missing"


def no_function(owner: object, name: str) -> str:
    """A framework's function that is to be wrapped."""
    return f"no {owner}.{name} in this version"


def no_count(what: str, error: Exception) -> str:
    """A framework's table that is to be counted."""
    return f"no count of {what} in this version: {type(error).__name__}"


def too_many(most: int, kind: str) -> str:
    """Objects that are alive."""
    return f"more than {most} {kind}: later ones are not counted"


def too_many_functions(most: int, made: str) -> str:
    """`made` is `traced` or `compiled`."""
    return f"more than {most} functions were {made}: later ones are not told"


def no_reason(made: str, error: Exception) -> str:
    """The same."""
    return f"why a function was {made}: {type(error).__name__}"


def no_last_look(error: Exception) -> str:
    """The program's own code has ended."""
    return f"the look at the end of the code: {type(error).__name__}"


# How arguments differ.
def had(argument: str, what: str, now: str, before: str) -> str:
    """Two tensors; `what` is `shape` or `dtype`."""
    return f"argument '{argument}' had {what} {now}, before {before}"


def was(argument: str, now: str, before: str) -> str:
    """Two things of different types, said as below."""
    return f"argument '{argument}' was {now}, before {before}"


def was_number(argument: str, now: str, before: str, kind: str) -> str:
    """Two values of one type of Python's."""
    return f"argument '{argument}' was {now}, before {before} (a Python {kind})"


def was_another(argument: str, kind: str) -> str:
    """Two objects of one type."""
    return f"argument '{argument}' was another {kind}"


def tensor(shape: str, dtype: str) -> str:
    """A thing."""
    return f"a tensor of shape {shape} and dtype {dtype}"


def number(value: str, kind: str) -> str:
    """A thing."""
    return f"{value} (a Python {kind})"


def group(kind: str, size: str) -> str:
    """A thing."""
    return f"a {kind} of {size}"


def thing(kind: str) -> str:
    """Of any other type."""
    return f"a {kind}"


def together(differences: list[str], more: int) -> str:
    """What differs; so many differences are not told."""
    return "; ".join(differences) + (f"; and {more} more" if more > 0 else "")
