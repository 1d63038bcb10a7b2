"""What fixes say of a container that grows, and the comments that they put into its program.

In: places as `train.py:12`, names and texts of the program. Out: what is kept instead, or why all is kept.
Never: a decision, or a change of the program.
"""

from __future__ import annotations


def nameless(path: str) -> str:
    """The holder's path ends in no name."""
    return f"{path} has no name in the program"


def two_kinds(name: str, one: str, other: str) -> str:
    """The kinds are `list` and `dict`."""
    return f"{name} is made as a {one} and as a {other}"


def set_elsewhere(place: str, name: str) -> str:
    """The name gets another value there."""
    return f"{place} sets {name} to something else"


def never_made(name: str) -> str:
    """Nothing is known of what is in it at first."""
    return f"no statement makes {name} as an empty list or dictionary"


def never_added(name: str) -> str:
    """It grows in another way than by `append` or `[key] =`."""
    return f"no statement of its own adds to {name}"


def no_function(function: str, name: str) -> str:
    """None or several have such a variable."""
    return f"there is no single function {function} with a variable {name}"


def no_file(module: str) -> str:
    """None or several may be the module."""
    return f"no single file is the module {module}"


def imported(place: str, name: str) -> str:
    """Another file has the container by the same name."""
    return f"{place} imports {name}"


def no_class(owner: str, name: str) -> str:
    """None or several have this name; `owner` may be empty."""
    return f"there is no single class {owner or 'of the program'} that {name} belongs to"


def many_classes(name: str) -> str:
    """Several make an attribute of this name."""
    return f"more than one class has a {name}"


def needed(shown: str, place: str, name: str) -> str:
    """`shown` is the expression that reads the container."""
    return f"`{shown}` at {place} reads {name}, and may need all of it"


# Less is kept in it.
VALUES_NEVER_READ = "its values are never read"
OLD_NEVER_READ = "older ones are never read"


def keeps_keys(name: str) -> str:
    """A dictionary whose values nobody reads."""
    return f"{name} keeps its keys: {VALUES_NEVER_READ}"


def keeps_ends(name: str, length: bool, first: bool, newest: int) -> str:
    """A list of which the length and things at its ends are read."""
    parts = ["its length"] * length + ["its first things"] * first
    parts += ["the newest" if newest == 1 else f"the newest {newest}"]
    return f"{name} keeps {' and '.join(parts)}: nothing else is read of it"


def keeps_part(name: str, shown: str) -> str:
    """A list of which each thing's same number is read."""
    return f"{name} keeps `{shown}` of each, which is all that is read of it"


def keeps_numbers(name: str) -> str:
    """A list of tensors."""
    return f"{name} keeps numbers instead of tensors"


def unusual(place: str, name: str) -> str:
    """The key is more than a name."""
    return f"{place} adds to {name} in an unusual way"


def sets_thing(place: str, name: str) -> str:
    """A list of which something in the middle changes."""
    return f"{place} sets a thing in {name}"


def many_numbers(name: str) -> str:
    """One number cannot stand for the thing."""
    return f"more than one number is read of each thing in {name}"


def other_name(there: str, name: str, here: str) -> str:
    """The file that adds has not imported what the number is taken by."""
    return f"{there} does not know {name} as {here} does"


def needs_tensors(place: str, name: str) -> str:
    """A number may not do there."""
    return f"{place} may need the tensors that {name} keeps"


def no_tensor(place: str, name: str) -> str:
    """A number is added already, or a key."""
    return f"{place} adds no tensor to {name}"
