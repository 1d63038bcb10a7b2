"""What `fit` is given: nobody else may have a name for it.

In: the arguments of `fit`. Out: callbacks and data, as roots of the search for containers.
Never: an argument changed.
"""

from __future__ import annotations

from nilometer.frameworks.keras import places
from nilometer.frameworks.keras.interventions._callbacks import flat
from nilometer.interventions import _containers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def install() -> None:
    """Makes them known, from now on."""
    places.on_fit(roots)


def roots(_: Any, arguments: dict[str, Any]) -> None:
    """Makes known what this `fit` is given."""
    callbacks = arguments.get("callbacks")
    for thing in [*flat(getattr(callbacks, "callbacks", callbacks)), arguments.get("x")]:
        _containers.add_root(thing)
