"""`clear_session()` between models.

What: before each `fit` of another model than the last one, Keras forgets its global state.
How: `keras.backend.clear_session()` is called when a model is compiled after another one was trained.
Proves: Keras itself keeps the models that the program has let go of. On the versions tried it keeps
little of them; see `purge-graphs` for what does.
"""

from __future__ import annotations

import sys

from nilometer.frameworks.keras import places
from nilometer.interventions import acted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_trained = False


def install(_: str) -> None:
    """Clears before the first `compile` after a `fit`."""
    places.on_fit(_fitted)
    places.on_compile(_compiled)


def _fitted(*_: Any) -> None:
    global _trained
    _trained = True


def _compiled(*_: Any) -> None:
    global _trained
    if _trained:
        _trained = False
        acted("clear-session")
        for name in ("keras", "tf_keras"):
            keras = sys.modules.get(name)
            if keras is not None:
                keras.backend.clear_session()
