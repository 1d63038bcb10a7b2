"""The folders of frameworks have one layout, and the tables name what is there."""

from __future__ import annotations

from pathlib import Path

import pytest
from nilometer import frameworks
from nilometer.frameworks import trials

ROOT = Path(__file__).resolve().parents[2]
PACKS = ROOT / "python" / "nilometer" / "frameworks"
LAYOUT = {"hooks", "probes", "weight", "interventions", "guard", "plan", "fixes", "callback", "places"}
FOLDERS = sorted(init.parent for init in PACKS.glob("*/__init__.py"))
TABLES = {
    "install": [
        *frameworks.HOOKS.values(),
        *trials.INTERVENTIONS.values(),
        *trials.STOPS,
        *trials.ROOTS,
        *trials.SURVEYS,
        *trials.GUARDS,
        *trials.WORKERS,
        *trials.PLANS,
    ],
    "weigh": list(frameworks.WEIGHTS.values()),
    "propose": list(trials.FIXES),
}
ASKED = sorted({(file, function) for function, files in TABLES.items() for file in files})


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_folder_has_the_layout_of_all(folder: Path) -> None:
    parts = {path.stem for path in folder.iterdir() if path.stem not in ("__init__", "__pycache__")}
    assert parts
    assert parts <= LAYOUT
    page = (ROOT / "ARCHITECTURE.md").read_text()
    assert all(f"| `{part}.py` |" in page or f"| `{part}/` |" in page for part in parts)


@pytest.mark.parametrize(("file", "function"), ASKED)
def test_what_a_table_names_is_there(file: str, function: str) -> None:
    assert callable(getattr(frameworks.load(file), function))


def test_what_is_there_is_named_by_a_table() -> None:
    named = {file for file, _ in ASKED}
    for folder in FOLDERS:
        for part in ("hooks", "weight", "guard", "plan", "interventions"):
            if (folder / part).exists() or (folder / f"{part}.py").exists():
                begin = f"frameworks.{folder.name}.{part}"
                assert any(file == begin or file.startswith(f"{begin}.") for file in named), begin
