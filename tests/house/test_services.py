"""What docs/alerts and docs/services.md name is what services export."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NAMED = re.compile(r"\bnilometer_[a-z_]+\b")


def exported() -> set[str]:
    """The families of the code, as Prometheus calls them."""
    source = (ROOT / "crates/report/src/measures.rs").read_text(encoding="utf-8")
    kinds = dict(re.findall(r'"(nilometer_\w+)",\s+"(info|counter|gauge|stateset)"', source))
    sizes = re.findall(r'\("(nilometer_\w+_bytes)"', source)
    ends = {"info": "_info", "counter": "_total"}
    return {name + ends.get(kind, "") for name, kind in kinds.items()} | set(sizes)


def test_the_families_are_found() -> None:
    assert {"nilometer_verdict", "nilometer_cycles_total", "nilometer_run_info"} < exported()
    assert len(exported()) >= 20


@pytest.mark.parametrize(
    "name", ["alerts/nilometer.rules.yml", "alerts/nilometer.dashboard.json", "services.md"]
)
def test_only_what_is_exported_is_named(name: str) -> None:
    text = (ROOT / "docs" / name).read_text(encoding="utf-8")
    assert set(NAMED.findall(text)) <= exported()


def test_each_family_is_told_of() -> None:
    text = (ROOT / "docs/services.md").read_text(encoding="utf-8")
    assert exported() <= set(NAMED.findall(text))
