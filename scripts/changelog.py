"""The changelog, of fragments: one file for each change, so that two people's never meet in one.

In: `changes/VERSION/NAME.md`, lines of `field: text`. Out: `docs/changelog.md`, by `docs_reference.py`.
What must not happen here: a fix without its cause and both sides of it, or a change that nobody can meet.
"""

from __future__ import annotations

from pathlib import Path

MADE = "<!-- Made by scripts/docs_reference.py: change a fragment in changes/, not this page. -->\n"
CHANGES = Path(__file__).parents[1] / "changes"
# What each kind says; `symptom` is what a person meets, in their words.
FIELDS = {
    "new": ("symptom", "after"),
    "changed": ("symptom", "after"),
    "fixed": ("symptom", "cause", "before", "after"),
}
TITLES = {"new": "", "changed": "Changes that you may notice:\n", "fixed": "Mended:\n"}


def fragment(path: Path) -> dict[str, str]:
    """The fields of a fragment; a line that is indented goes on with the one before.

    Raises `ValueError` if one is missing, empty, twice, or not one of its kind.
    """
    fields: dict[str, str] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        name, colon, text = line.partition(": ")
        if line.startswith("  ") and fields:
            fields[next(reversed(fields))] += " " + line.strip()
        elif colon and name not in fields:
            fields[name] = text.strip()
        else:
            raise ValueError(f"{path}: {line!r} is no field, or a second one")
    wanted = ("kind", *FIELDS.get(fields.get("kind", ""), ()))
    if tuple(fields) != wanted or not all(fields.values()):
        raise ValueError(f"{path}: its fields are {', '.join(fields)}, not {', '.join(wanted)}")
    return fields


def entry(fields: dict[str, str]) -> str:
    """A fragment as the changelog has it."""
    symptom, after = fields["symptom"], fields["after"]
    if fields["kind"] == "new":
        return f"**{symptom}** {after}\n"
    if fields["kind"] == "changed":
        return f"* {symptom} {after}"
    return f"* {symptom} {fields['cause']}\n    * Before: {fields['before']}\n    * Now: {after}"


def version(folder: Path) -> str:
    """A version's section."""
    all_of = [fragment(path) for path in sorted(folder.glob("*.md"))]
    parts = [f"## {folder.name}\n"]
    for kind, title in TITLES.items():
        entries = [entry(one) for one in all_of if one["kind"] == kind]
        if entries and title:
            entries = [title, "\n".join(entries) + "\n"]
        parts += entries
    return "\n".join(parts)


def changelog() -> str:
    """The page, the newest version first."""
    folders = sorted(
        (path for path in CHANGES.iterdir() if path.is_dir()),
        key=lambda path: [int(part) for part in path.name.split(".")],
        reverse=True,
    )
    head = "# Changelog\n"
    lead = "What you can find, ask and do, by version. Symptoms come first.\n"
    return "\n".join([head, MADE, lead, *map(version, folders)])
