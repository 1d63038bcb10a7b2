"""The program's own files: the script, and what it imports from beside itself.

In: the script or module and the folder. Out: their sources.
Never: code run or a module imported; only the text of imports is followed.
"""

from __future__ import annotations

import ast
from pathlib import Path

from nilometer.fixes._source import Refused, Source
from nilometer.fixes.words import source as words

_MAX_FILES = 300
# What is asked for by name alone is not seen in the text.
_BLIND = ("eval", "exec", "locals", "globals", "vars", "getattr", "setattr", "delattr")


class Project:
    """The files of one program."""

    def __init__(self, folder: Path, command: list[str]) -> None:
        self.folder = folder = folder.resolve()
        self.roots = [folder]
        self.sources: dict[Path, Source] = {}
        first = command[0] if command else ""
        if first.startswith("-m"):
            module = first[2:] or (command[1] if len(command) > 1 else "")
            start = self._module(module.split(".")) + self._module([*module.split("."), "__main__"])
        elif first.startswith("-"):
            start = []
        else:
            script = folder / first
            # Its folder as it is, but not where a link in the script's place leads to.
            start = [script.parent.resolve() / script.name]
            self.roots.insert(0, start[0].parent)
        self.start = start[-1] if start else None
        waiting = list(start)
        while waiting and len(self.sources) < _MAX_FILES:
            path = waiting.pop()
            if path in self.sources:
                continue
            try:
                source = self.sources[path] = Source(path, self._shown(path))
            except (OSError, SyntaxError, UnicodeDecodeError, ValueError):
                continue
            waiting.extend(self._imports(source))
        self.is_whole = not waiting

    def _shown(self, path: Path) -> str:
        return str(path.relative_to(self.folder)) if path.is_relative_to(self.folder) else str(path)

    def source(self, file: str) -> Source | None:
        """The source of a file that a report names."""
        path = self.folder / file
        path = path.parent.resolve() / path.name
        return next((source for known, source in self.sources.items() if known == path), None)

    def _module(self, names: list[str]) -> list[Path]:
        """The files that an import of these names runs."""
        found = []
        for root in self.roots:
            at = root
            for depth, name in enumerate(names):
                at = at / name
                last = depth == len(names) - 1
                found += [at / "__init__.py", at.with_suffix(".py")] if last else [at / "__init__.py"]
        return [path for path in found if path.is_file()]

    def _imports(self, source: Source) -> list[Path]:
        found = []
        for node in ast.walk(source.tree):
            if isinstance(node, ast.Import):
                found += [path for alias in node.names for path in self._module(alias.name.split("."))]
            elif isinstance(node, ast.ImportFrom):
                base = node.module.split(".") if node.module else []
                if node.level:
                    near = source.path.parents[node.level - 1]
                    root = next((root for root in self.roots if near.is_relative_to(root)), None)
                    base = [*near.relative_to(root).parts, *base] if root else base
                for names in [base, *([*base, alias.name] for alias in node.names)]:
                    found += self._module(names) if names else []
        return found

    def refuse_blind(self, name: str) -> None:
        """Refuses where `name` may be reached in ways that its text does not show."""
        if not self.is_whole:
            raise Refused(words.too_many_files(_MAX_FILES))
        for source in self.sources.values():
            for node in ast.walk(source.tree):
                where = ""
                if isinstance(node, ast.Constant) and node.value == name:
                    where = words.as_text(repr(name))
                elif isinstance(node, ast.Attribute) and node.attr == "__dict__":
                    where = words.used("__dict__")
                elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                    function = node.func.id
                    plain = len(node.args) > 1 and isinstance(node.args[1], ast.Constant)
                    if function in _BLIND and not (function.endswith("attr") and plain):
                        where = words.used(f"{function}()")
                if where and isinstance(node, ast.expr):
                    raise Refused(words.blind(where, source.place(node), name))
