"""Writes the pages that other files already say: commands, variables, schemas, the list of causes.

    python scripts/docs_reference.py     # after a change of any of these

In: the golden files of each command's help (tests compare them with the command), the comments of
`crates/cli/src/env.rs`, the schemas, the first sentence of each cause's page. Out: the pages in `PAGES`.
A test fails where a page differs. Nothing is run here, and nothing is typed twice.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from changelog import changelog

ROOT = Path(__file__).parents[1]
HELP = ROOT / "tests" / "golden" / "expected" / "help"
MADE = "<!-- Made by scripts/docs_reference.py: change its sources, not this page. -->\n"
# A help has a hundred columns: the page needs the room of its table of contents.
WIDE = "---\nhide: [toc]\n---\n"
# What a person does with a command comes before its help.
ORDER = ["run", "guard", "report", "diff", "prove", "fix", "plan", "serve", "attach", "detach", "census"]
VARIABLE = re.compile(r'((?:^/// .*\n)+)pub\(crate\) const \w+: &str = "(\w+)";', re.MULTILINE)


def commands() -> str:
    """The help of each command, as it is printed."""
    found = {path.name.removesuffix("--help.txt"): told(path) for path in HELP.glob("*--help.txt")}
    whole = found.pop("nilometer")
    names = sorted(found, key=lambda name: (ORDER.index(name) if name in ORDER else len(ORDER), name))
    links = " · ".join(f"[{name}](#{name})" for name in [*names, "jupyter"])
    parts = [WIDE, "# Commands\n", MADE, f"What `--help` prints, of each command: {links}\n", block(whole)]
    parts += [f"## {name}\n\n{block(found[name])}" for name in names]
    parts.append("## jupyter\n\n[Notebooks](../jupyter.md) says what `install` and `uninstall` do.\n")
    return "\n".join(parts)


def told(path: Path) -> str:
    """What the command wrote to stdout, of a golden file."""
    text = path.read_text(encoding="utf-8").replace("\r\n", "\n")
    return text.partition("--- stdout\n")[2].partition("--- stderr")[0].rstrip()


def block(text: str) -> str:
    return f"```text\n{text}\n```\n"


def variables() -> str:
    """The variables that a person may set, and then those that are Nilometer's own."""
    code = (ROOT / "crates" / "cli" / "src" / "env.rs").read_text(encoding="utf-8")
    rows = [(name, plain(words)) for words, name in VARIABLE.findall(code)]
    yours = [row for row in rows if not row[0].startswith("_")]
    ours = [row for row in rows if row[0].startswith("_")]
    return "\n".join(
        [
            "# Environment variables\n",
            MADE,
            "## Read from yours\n",
            *table(("variable", "meaning"), yours),
            "\n## Nilometer's own\n",
            "`nilometer run` hands these to the program, and takes them out again as Python starts.",
            "Do not set them. With `--children` they stay, since children need them.\n",
            *table(("variable", "meaning"), ours),
            "",
        ]
    )


def plain(comment: str) -> str:
    """A comment in one line, without what every private variable's begins with."""
    words = " ".join(line.removeprefix("///").strip() for line in comment.splitlines())
    return words.removeprefix("Private, ").replace("|", "\\|")


def table(head: tuple[str, str], rows: list[tuple[str, str]]) -> list[str]:
    return [f"| {head[0]} | {head[1]} |", "|---|---|", *(f"| `{name}` | {words} |" for name, words in rows)]


def schemas() -> str:
    """What each schema is of, and what stands at its top."""
    parts = ["# Schemas of JSON\n", MADE]
    for path in sorted((ROOT / "docs").glob("*.schema.json")):
        schema = json.loads(path.read_text(encoding="utf-8"))
        parts += [
            f"## {schema['title']}\n",
            f"{schema['description']}\n",
            f"[`{path.name}`](../{path.name})\n",
        ]
        shared = schema.get("$defs", {})
        rows = [(name, summary(one, shared)) for name, one in schema["properties"].items()]
        parts += [*table(("member", "what it is"), rows), ""]
    return "\n".join(parts)


def summary(member: dict[str, Any], shared: dict[str, Any]) -> str:
    """What a member is: by its own words and what it has, or by its type."""
    member = looked_up(member, shared)
    if "const" in member:
        return f"`{member['const']}`"
    if "enum" in member and "description" not in member:
        return "One of " + ", ".join(f"`{value}`" for value in member["enum"]) + "."
    inside = member.get("properties") or looked_up(member.get("items", {}), shared).get("properties", {})
    has = f"Has {', '.join(f'`{name}`' for name in inside)}." if inside else ""
    types = str(member.get("type", "")) if not has else ""
    return " ".join(filter(None, [member.get("description", types), has])).replace("|", "\\|")


def looked_up(member: dict[str, Any], shared: dict[str, Any]) -> dict[str, Any]:
    name = member.get("$ref", "").removeprefix("#/$defs/")
    return {**shared[name], **member} if name else member


def causes() -> str:
    """Every cause by its first sentence."""
    rows = []
    for page in sorted((ROOT / "docs" / "causes").glob("*.md")):
        sentence = page.read_text(encoding="utf-8").split("\n\n")[1].replace("\n", " ")
        rows.append(f"| [{page.stem}](causes/{page.name}) | {sentence} |")
    return "\n".join(
        [
            "# Causes\n",
            MADE,
            "What a finding may be called. Each page has the symptom, the reason and the mended code.\n",
            "| cause | what happens |",
            "|---|---|",
            *rows,
            "",
        ]
    )


PAGES: dict[str, Callable[[], str]] = {
    "reference/cli.md": commands,
    "reference/environment.md": variables,
    "reference/schemas.md": schemas,
    "causes.md": causes,
    "changelog.md": changelog,
}


def main() -> None:
    for name, page in PAGES.items():
        (ROOT / "docs" / name).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
