"""Tells the native module whose code lies where: folders of Python, of this tool, and of frameworks.

In: modules that are imported already. Out: what its rule needs to say whether a file is the user's, also as
facts in the capture.
Never: an import, or an attribute access that could run a lazy import.
"""

from __future__ import annotations

import os
import sys

from nilometer import _native

_OURS = __file__.rpartition("/hooks/")[0]
_STANDARD = os.__file__.rpartition("/")[0]
_unseen: list[str] = []


def begin(own: str) -> None:
    """A recording begins. `own` names installed packages that are the user's own, with commas between."""
    _native.know_code(_STANDARD, _OURS, own)
    _unseen[:] = _native.frameworks()
    look()


def look() -> None:
    """Tells where frameworks were imported from, each once."""
    for name in [name for name in _unseen if name in sys.modules]:
        # Not by asking for the attribute: some modules are imported only then.
        file = getattr(sys.modules[name], "__dict__", {}).get("__file__")
        if isinstance(file, str):
            _unseen.remove(name)
            _native.learn_module(name, file)
