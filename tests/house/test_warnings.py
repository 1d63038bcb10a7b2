"""Every warning that a report can give has its section in the docs and its word in the schema."""

from __future__ import annotations

import json
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_every_warning_has_a_section_and_a_word() -> None:
    code = (ROOT / "crates/diagnose/src/warnings.rs").read_text()
    table = code[code.index("const ALL") : code.index("];", code.index("const ALL"))]
    names = re.findall(r'\(Stateful::\w+, "([a-z-]+)",', table)
    assert names
    gpu = (ROOT / "crates/diagnose/src/told/device/mod.rs").read_text()
    names += re.findall(r'^const NAME: &str = "([a-z-]+)"', gpu, re.MULTILINE)
    pages = re.findall(r"^## ([a-z-]+)$", (ROOT / "docs/warnings.md").read_text(), re.MULTILINE)
    assert sorted(names) == sorted(pages)
    schema = json.loads((ROOT / "docs/report.schema.json").read_text())
    assert names == schema["properties"]["warnings"]["items"]["properties"]["name"]["enum"]


def test_every_fact_that_is_said_is_read() -> None:
    said = (ROOT / "python/nilometer/frameworks/keras/hooks/stateful.py").read_text()
    read = (ROOT / "crates/diagnose/src/warnings.rs").read_text()
    words = set(re.findall(r'_tell\("([a-z]+)"', said))
    assert words == set(re.findall(r'"stateful\.([a-z]+)"', read))
