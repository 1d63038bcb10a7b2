"""`unsafe` stands only where ARCHITECTURE.md says so."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def named() -> set[str]:
    text = (ROOT / "ARCHITECTURE.md").read_text()
    listed = text.split("* **`unsafe`** only in", 1)[1].split("\n* ", 1)[0].split(":", 1)[1]
    modules = set()
    for crate, names in re.findall(r"`(\w+)` ([^;`.]+)", listed):
        modules |= {f"{crate}/{name.strip()}" for name in names.split(",")}
    return modules


def found() -> set[str]:
    modules = set()
    for path in ROOT.glob("crates/*/src/**/*.rs"):
        text = path.read_text()
        if re.search(r"(expect|allow)\(\s*unsafe_code", text):
            crate, _src, *rest = path.relative_to(ROOT / "crates").with_suffix("").parts
            modules.add("/".join([crate, *rest]))
    return modules


def test_the_list_of_unsafe_modules_is_the_codes() -> None:
    assert found() == named()
