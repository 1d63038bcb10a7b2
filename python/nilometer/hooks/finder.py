"""Installs the hooks of a module at the moment it has been imported.

In: every import of the program. Out: for the few modules in the table, their hooks, right after their code
ran and before anyone else sees them; and the `import` phase around the import of a framework.
Never: an import of its own, a changed loader or spec (the change is undone before the module's code runs),
or a cost worth naming for other modules (one dictionary look-up).
"""

from __future__ import annotations

import sys

from nilometer import _native, frameworks
from nilometer.hooks import facts, marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Any

# module -> file whose `install(name, module)` knows it: of frameworks, of Python itself, of notebooks. Read
# as text: nothing is imported for it.
ROWS: dict[str, str] = {
    **frameworks.HOOKS,
    "multiprocessing.process": "hooks.multiprocessing",
    "multiprocessing.pool": "hooks.multiprocessing",
    "concurrent.futures.process": "hooks.multiprocessing",
    "logging": "hooks.logs",
    "threading": "hooks.code_end",
    "http.server": "hooks.http_server",
    "IPython.core.interactiveshell": "hooks.notebook",
    "nbclient.client": "hooks.notebook",
}


class Finder:
    """Stands first in `sys.meta_path`, finds nothing itself, and marks the specs that others find."""

    def __init__(self) -> None:
        self.waiting: dict[str, str | None] = {**dict.fromkeys(frameworks.IMPORTS), **ROWS}

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec that the finders after this one give, or None for a module without hooks."""
        if name not in self.waiting:
            return None
        for finder in sys.meta_path:
            find = None if finder is self else getattr(finder, "find_spec", None)
            spec: ModuleSpec | None = None if find is None else find(name, path, target)
            if spec is not None:
                self._mark(name, spec.loader)
                return spec
        return None

    def _mark(self, name: str, loader: Any) -> None:
        original = getattr(loader, "exec_module", None)
        if original is None:
            return
        row = self.waiting[name]
        waiting = self.waiting
        outer = False

        def before() -> None:
            nonlocal outer
            # The loader is itself again before any code of the module can look at it.
            loader.__dict__.pop("exec_module", None)
            outer = row is None and _begin_import()

        def after(module: ModuleType, imported: bool) -> None:
            if outer:
                _end_import()
            if imported:
                waiting.pop(name, None)
                if row is not None:
                    _install(row, name, module)

        try:
            loader.exec_module = _native.Import(original, before, after)
        except Exception:
            from nilometer.hooks import words

            _native.lost(words.no_loader(name))


def _begin_import() -> bool:
    if any(name == "import" for name, _ in marks.thread.open):
        return False
    marks.begin("import")
    _native.importing(True)
    return True


def _end_import() -> None:
    _native.importing(False)
    marks.end("import")
    facts.say_versions()


def _install(row: str, name: str, module: ModuleType) -> None:
    try:
        install: Callable[[str, ModuleType], None]
        install = frameworks.load(row).install
        install(name, module)
    except Exception as error:
        _native.lost(f"hooks of {name}: {type(error).__name__}")


_finder = Finder()


def install() -> None:
    """Puts the finder in place; hooks of modules that are imported already are installed at once."""
    for name, row in ROWS.items():
        module = sys.modules.get(name)
        if module is not None and name in _finder.waiting:
            _finder.waiting.pop(name)
            _install(row, name, module)
    sys.meta_path.insert(0, _finder)


def uninstall() -> None:
    """Takes the finder out; what it installed stays, and is not installed once more."""
    if _finder in sys.meta_path:
        sys.meta_path.remove(_finder)


def say_missed() -> None:
    """Says at exit which framework was imported past the finder (by an import hook that stood before it)."""
    for name, framework in frameworks.NEEDED:
        if name in sys.modules and name in _finder.waiting:
            from nilometer.hooks import words

            _native.lost(words.other_hook(framework))
