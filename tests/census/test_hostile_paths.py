"""A heap that fights back: no code of its objects runs, nothing changes, nothing falls over."""

from __future__ import annotations

from typing import Any

import pytest
from paths_support import run

EXPECTED = {
    "calls": [],
    "hostile": [
        "__main__.HOSTILE[*].saved[*]",
        "__main__.HOSTILE[*].saved[*]",
        "__main__.HOSTILE[*].saved[*]",
        "__main__.HOSTILE[*][<HostileKey>][*]",
        # A class that only a list leads to: of several alike, the list is what grows.
        "__main__.HOSTILE[*].kept[*]",
    ],
    "references": [],
    "folded": ["unchanged(): kept[*].first[*]"],
    "deep": ["Reachable"],
    "ending": 200,
    "limited": [None, True, 0, [], True],
    "near": [True, ["__main__.NEAR[*]"]],
    "child": 0,
}


def hostile(python: str, probe: str) -> dict[str, Any]:
    said: dict[str, Any] = run(python, probe, "paths_hostile.py", "1")
    return said


@pytest.mark.parametrize("what", EXPECTED)
def test_hostile_heaps(what: str, python: str, probe: str) -> None:
    assert hostile(python, probe)[what] == EXPECTED[what]


@pytest.mark.parametrize("what", ["dicts", "looks"])
def test_hostile_heaps_are_looked_at(what: str, python: str, probe: str) -> None:
    assert hostile(python, probe)[what]


def test_no_object_is_tracked_anew(python: str, probe: str) -> None:
    assert hostile(python, probe)["tracked"] <= 1  # the list of counts itself


def test_a_deep_heap_has_a_path(python: str, probe: str) -> None:
    assert hostile(python, probe)["deep_path"].startswith("deep(): ")


def test_what_is_freed_meanwhile_is_gone_or_found(python: str, probe: str) -> None:
    is_freed, gone, found = hostile(python, probe)["freed"]
    assert is_freed
    assert gone <= 60
    assert gone + found == 2500


def test_looks_in_the_midst_of_everything(python: str, probe: str) -> None:
    """From `__init__`, `__del__`, comparisons, the collector, generators; threads change all meanwhile."""
    looks = run(python, probe, "paths_churn.py", "5", "1")
    # A busy machine does not come to the end of each generator.
    everywhere = {"main", "init", "del", "hash", "eq", "lt", "await", "tuple", "frame", "collector"}
    assert everywhere <= set(looks)
    assert looks["failed"] == 0
