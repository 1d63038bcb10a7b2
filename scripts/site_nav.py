"""Which pages the site has: a name with a star in `mkdocs.yml` becomes every page of that folder.

In: the navigation as it is written. Out: the same with files in the stars' places, without those that stand
beside the star already. MkDocs calls `on_config` by its name, before it builds.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any


def on_config(config: Any) -> Any:
    config["nav"] = expanded(config["nav"], Path(config["docs_dir"]))
    return config


def expanded(entries: list[Any], docs: Path) -> list[Any]:
    """The entries of one section; each is a file, a star, or a title with either or with entries."""
    named = {entry for entry in entries if isinstance(entry, str)}
    found: list[Any] = []
    for entry in entries:
        if isinstance(entry, str) and entry.endswith("/*"):
            pages = sorted(str(page.relative_to(docs)) for page in docs.glob(f"{entry}.md"))
            found += [page for page in pages if page not in named]
        elif isinstance(entry, dict):
            found.append({title: under(below, docs) for title, below in entry.items()})
        else:
            found.append(entry)
    return found


def under(below: Any, docs: Path) -> Any:
    return expanded(below, docs) if isinstance(below, list) else below
