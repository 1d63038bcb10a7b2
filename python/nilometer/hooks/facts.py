"""Which frameworks the program uses, and their versions.

In: modules that are imported already. Out: facts `framework.*`.
Never: an import, or an attribute access that could run a lazy import.
"""

from __future__ import annotations

import sys

from nilometer import _native

_PACKAGES = ("numpy", "tensorflow", "keras", "tf_keras", "jax", "torch")
_said: set[str] = set()


def say_versions() -> None:
    """Says the versions that are known by now and have not been said, and the backend of Keras 3."""
    for package in _PACKAGES:
        module = sys.modules.get(package)
        version = vars(module).get("__version__") if module is not None else None
        if isinstance(version, str):
            _say(f"framework.{package}", version)
    config = sys.modules.get("keras.src.backend.config")
    backend = vars(config).get("_BACKEND") if config is not None else None
    if isinstance(backend, str):
        _say("framework.keras.backend", backend)


def forget() -> None:
    """Another recording is told everything anew."""
    _said.clear()


def _say(key: str, value: str) -> None:
    if key not in _said:
        _said.add(key)
        _native.fact(key, value)
