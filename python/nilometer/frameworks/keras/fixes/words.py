"""What fixes say of models that are built and fitted in a loop, and the comment that they put there.

In: places as `train.py:12`, names of the program. Out: what changes, or why it would not be the same.
Never: a decision, or a change of the program.
"""

from __future__ import annotations

# What changes.
GRAPHS_GIVEN_BACK = "graphs are given back in every round"
FITTED_AGAIN = "fitted again from the new model's start: its graphs are there already"
# Loops of the program.
MANY_LOOPS = "more than one loop builds and fits a model in its own body"
NO_LOOP = "no loop both builds and fits a model in its own body"


def fitted_again(model: str) -> str:
    """The model of the first round stands in for all."""
    return f"the first {model} is fitted in every round, from the start of the one that is built there"


def cleared_already(place: str) -> str:
    """The change is there, and it leaks."""
    return f"the loop at {place} calls clear_session() already"


def no_keras(file: str) -> str:
    """The call would need a name."""
    return f"{file} does not import keras by its name"


def not_plain(place: str, model: str) -> str:
    """What builds it is not followed."""
    return f"the loop at {place} does not build {model} in one plain statement"


def conditional(place: str, model: str) -> str:
    """The models of two rounds may differ."""
    return f"{place} builds {model} under conditions"


def varies(name: str, place: str) -> str:
    """The models of two rounds do differ."""
    return f"{name} differs from round to round, and {place} builds with it more than a learning rate"


def of_its_model(name: str, place: str) -> str:
    """It would be another model's."""
    return f"{name} at {place} belongs to the model that was built there"


def is_kept(model: str, place: str) -> str:
    """Its round is not its end."""
    return f"{model} is kept at {place}"


def read_later(shown: str, place: str) -> str:
    """`shown` is an attribute `model` of something."""
    return f"`{shown}` at {place} may be read later"
