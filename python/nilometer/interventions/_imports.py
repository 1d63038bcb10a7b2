"""Does something when a module has been imported, after the hooks of that module.

In: a module's name and what to do with it. Out: it done, right after the module's code has run.
Never: an import of its own, or a failure of ours that the program sees.
"""

from __future__ import annotations

import sys

from nilometer import _native

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Any

    Action = Callable[[ModuleType], None]

_waiting: dict[str, list[Action]] = {}


class _Finder:
    """Stands before all finders, finds nothing itself, and marks the specs that others find."""

    def __init__(self) -> None:
        self.asking: set[str] = set()

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        # The hooks' own finder asks all others too, this one among them.
        if name not in _waiting or name in self.asking:
            return None
        self.asking.add(name)
        try:
            return self._find(name, path, target)
        finally:
            self.asking.discard(name)

    def _find(self, name: str, path: Sequence[str] | None, target: ModuleType | None) -> ModuleSpec | None:
        for finder in sys.meta_path:
            find = None if finder is self else getattr(finder, "find_spec", None)
            spec: ModuleSpec | None = None if find is None else find(name, path, target)
            if spec is not None:
                _mark(name, spec.loader)
                return spec
        return None


def _mark(name: str, loader: Any) -> None:
    original = getattr(loader, "exec_module", None)
    if original is None:
        return

    def exec_module(module: ModuleType) -> None:
        loader.__dict__.pop("exec_module", None)
        original(module)
        for action in _waiting.pop(name, []):
            _do(action, module)

    loader.exec_module = exec_module


def _do(action: Action, module: ModuleType) -> None:
    try:
        action(module)
    except Exception as error:
        _native.lost(f"{action.__module__}: {type(error).__name__}: {error}")


_finder = _Finder()


def after_import(name: str, action: Action) -> None:
    """Does `action(module)` once the module of this name has been imported, at once if it has been."""
    module = sys.modules.get(name)
    if module is not None:
        _do(action, module)
        return
    if _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)
    _waiting.setdefault(name, []).append(action)
