"""What fixes say of a report and of a program's files.

In: places as `train.py:12`, names, errors. Out: a sentence why there is no change.
Never: a decision, or a change of the program.
"""

from __future__ import annotations

# The report does not tell enough.
UNEXPLAINED = "no finding explains the growth"
UNSEEN = "the run did not show the holder of the memory; a longer run shows more"


def unknown(cause: str) -> str:
    """A cause that no file here is about."""
    return f"no mechanical change is known for {cause}"


def too_many_files(most: int) -> str:
    """Who uses a name is not known: only so many files are read."""
    return f"the program has more than {most} files"


def as_text(name: str) -> str:
    """Where a name may be reached: `name` is quoted."""
    return f"{name} is written as text"


def used(what: str) -> str:
    """The same, by what reaches any name."""
    return f"{what} is used"


def blind(how: str, place: str, name: str) -> str:
    """`how` is one of the two above."""
    return f"{how} at {place}, so code that does not name {name} may read it"


def shares_line(place: str) -> str:
    """No line can be put before it or behind it."""
    return f"the statement at {place} shares its line with another"


def same_place(file: str) -> str:
    """Two fixes want to change it."""
    return f"two changes of {file} are about the same place"


def no_syntax(file: str, error: str) -> str:
    """What the edits made is no Python; `error` is Python's."""
    return f"{file} would not compile: {error}"
