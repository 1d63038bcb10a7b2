"""Ends a `fit` after enough epochs, the way a callback would: by `model.stop_training`.

In: the least epochs, the most, and the seconds after which the least are enough. Out: a `fit` that
returns as if training had stopped early; what the program does after it, it does.
Never: an exception, or a `fit` cut that would not have had so many epochs: where models are made in a
loop, each keeps its own.
"""

from __future__ import annotations

from time import monotonic

from nilometer import _native
from nilometer.frameworks.keras import places
from nilometer.hooks.wrapping import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def install(limits: str) -> None:
    """`limits`: least and most epochs, and seconds, with spaces between."""
    words = limits.split()
    least, most, seconds = int(words[0]), int(words[1]), float(words[2])

    def change(callback_list: Any) -> None:
        epochs = 0
        began = 0.0

        def train_begin(original: Any) -> Any:
            def on_train_begin(self: Any, /, *args: Any, **kwargs: Any) -> Any:
                nonlocal epochs, began
                epochs, began = 0, monotonic()
                return original(self, *args, **kwargs)

            return on_train_begin

        def epoch_end(original: Any) -> Any:
            def on_epoch_end(self: Any, /, *args: Any, **kwargs: Any) -> Any:
                nonlocal epochs
                result = original(self, *args, **kwargs)
                epochs += 1
                if epochs >= least and (epochs >= most or monotonic() - began >= seconds):
                    _end(self, epochs)
                return result

            return on_epoch_end

        replace(callback_list, "on_train_begin", train_begin)
        replace(callback_list, "on_epoch_end", epoch_end)

    places.on_callback_list(change)


_longest = 0


def _end(callbacks: Any, epochs: int) -> None:
    global _longest
    model = getattr(callbacks, "_model", None)
    if model is None:
        model = getattr(callbacks, "model", None)
    if model is not None:
        model.stop_training = True
        if epochs > _longest:
            _longest = epochs
            _native.fact("prove.stopped", str(epochs))
