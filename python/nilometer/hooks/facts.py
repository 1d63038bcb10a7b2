"""Which frameworks the program uses, and their versions.

In: modules that are imported already. Out: facts `framework.*`.
Never: an import, or an attribute access that could run a lazy import.
"""

from __future__ import annotations

import sys

from nilometer import _native, frameworks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_PACKAGES = ("numpy", *frameworks.IMPORTS)
_said: set[str] = set()
_forgetting: list[Callable[[], None]] = []


def say_versions() -> None:
    """Says the versions that are known by now and have not been said, and what else packs name."""
    for package in _PACKAGES:
        module = sys.modules.get(package)
        version = vars(module).get("__version__") if module is not None else None
        if isinstance(version, str):
            _say(f"framework.{package}", version)
    for name, variable, key in frameworks.FACTS:
        module = sys.modules.get(name)
        text = vars(module).get(variable) if module is not None else None
        if isinstance(text, str):
            _say(key, text)


def forget() -> None:
    """Another recording is told everything anew."""
    _said.clear()
    for call in _forgetting:
        call()


def on_forgetting(call: Callable[[], None]) -> None:
    """Calls this, too, when another recording begins."""
    _forgetting.append(call)


def _say(key: str, value: str) -> None:
    if key not in _said:
        _said.add(key)
        _native.fact(key, value)
