"""Counts the lines of the core that name a framework; `framework_names.txt` has what each file may have.

In: code of the crates and of the Python package, outside of the packs. Out: what is wrong, a line each.
Comments, documentation and tests may name what they like. A number only goes down.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STILL = Path(__file__).resolve().parent / "framework_names.txt"
PACKS_OF_PYTHON = ROOT / "python" / "nilometer" / "frameworks"
# Folders of packs may name frameworks; so may faces, which users import by that name.
PACKS = ("crates/frameworks/", "crates/native/src/frameworks/", "python/nilometer/frameworks/")
FACES = {f"python/nilometer/{name}.py" for name in ("keras", "lightning", "transformers")}
# Names of frameworks, and of what only one of them has.
NAMES = (
    r"aiohttp|EagerTensor|jaxlib|\bjax|keras|lightning|pandas|prometheus_client|pyarrow|starlette|tensorflow|torch"
    r"|\bxla|libxla"
)
TESTS = re.compile(r"#\[cfg\(test\)\]\n(?:#\[[^\n]*\]\n)*mod tests")
IN_RUST = re.compile(NAMES, re.IGNORECASE)


def in_python() -> re.Pattern[str]:
    """The same, and the name of every pack: those of services and searches have no folder in Rust."""
    packs = sorted(path.name for path in PACKS_OF_PYTHON.iterdir() if (path / "__init__.py").exists())
    return re.compile("|".join([NAMES, r"\btf\b", *(rf"\b{name}" for name in packs)]), re.IGNORECASE)


def rust_lines(text: str) -> list[str]:
    """The lines of a file without comments, up to its tests."""
    return [re.sub(r"//.*", "", line) for line in TESTS.split(text)[0].splitlines()]


def python_lines(text: str) -> list[str]:
    """The lines of a file without comments and documentation."""
    hidden: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            hidden.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    kept: dict[int, str] = {}
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type != tokenize.COMMENT and token.string.strip():
            for number, part in enumerate(token.string.splitlines(), token.start[0]):
                kept[number] = f"{kept.get(number, '')} {part}"
    return [line for number, line in kept.items() if number not in hidden]


def files() -> Iterator[tuple[str, int]]:
    """Each file of the core, by its path from the root, and how many of its lines name a framework."""
    python = in_python()
    for pattern, lines, names in (
        ("crates/*/src/**/*.rs", rust_lines, IN_RUST),
        ("python/nilometer/**/*.py", python_lines, python),
    ):
        for path in sorted(ROOT.glob(pattern)):
            file = path.relative_to(ROOT).as_posix()
            if not file.startswith(PACKS) and file not in FACES:
                yield file, sum(1 for line in lines(path.read_text()) if names.search(line))


def naming() -> list[str]:
    """Files with more lines that name a framework than they may have, or with fewer."""
    rows = [line.split() for line in STILL.read_text().splitlines() if not line.startswith("#")]
    allowed = {name: int(count) for count, name in rows}
    found = {file: count for file, count in files() if count}
    wrong = []
    for file in sorted(found.keys() | allowed.keys()):
        has, may = found.get(file, 0), allowed.get(file, 0)
        if has > may:
            packs = next(pack for pack in PACKS if pack.startswith(file.partition("/")[0]))
            wrong.append(f"{file}: {has} lines name a framework, {may} may; see {packs}")
        elif has < may:
            wrong.append(f"{file}: {has} lines name a framework: put that into {STILL.name} for {may}")
    return wrong
