"""Without one of the program's callbacks, by the name of its class.

What: `fit`, `evaluate` and `predict` get the list they were given, without that callback.
How: it is left out when Keras makes its `CallbackList`.
Proves: the callback keeps the memory, or what it calls does. What it wrote or measured is missing then.
"""

from __future__ import annotations

from nilometer.frameworks.keras.interventions import _callbacks


def install(name: str) -> None:
    """Leaves out callbacks whose class is called `name`."""
    _callbacks.leave_out(f"callback:{name}", lambda callback: type(callback).__name__ == name)
