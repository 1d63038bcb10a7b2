"""A heap that fights back: no code of its objects runs, nothing changes, nothing falls over."""

from __future__ import annotations

from paths_support import run


def test_hostile_heaps(python: str, probe: str) -> None:
    said = run(python, probe, "paths_hostile.py", "1")
    assert said["calls"] == []
    assert said["hostile"] == [
        "__main__.HOSTILE[*].saved[*]",
        "__main__.HOSTILE[*].saved[*]",
        "__main__.HOSTILE[*].saved[*]",
        "__main__.HOSTILE[*][<HostileKey>][*]",
        # A class that only a list leads to: of several alike, the list is what grows.
        "__main__.HOSTILE[*].kept[*]",
    ]
    assert said["references"] == []
    assert said["dicts"]
    assert said["folded"] == ["unchanged(): kept[*].first[*]"]
    assert said["tracked"] <= 1  # the list of counts itself
    assert said["deep"] == ["Reachable"]
    assert said["deep_path"].startswith("deep(): ")
    assert said["freed"][0]
    assert said["freed"][1] <= 60
    assert said["freed"][1] + said["freed"][2] == 2500
    assert said["looks"]
    assert said["ending"] == 200
    assert said["limited"] == [None, True, 0, [], True]
    assert said["near"] == [True, ["__main__.NEAR[*]"]]
    assert said["child"] == 0


def test_looks_in_the_midst_of_everything(python: str, probe: str) -> None:
    """From `__init__`, `__del__`, comparisons, the collector, generators; threads change all meanwhile."""
    looks = run(python, probe, "paths_churn.py", "5", "1")
    # A busy machine does not come to the end of each generator.
    everywhere = {"main", "init", "del", "hash", "eq", "lt", "await", "tuple", "frame", "collector"}
    assert everywhere <= set(looks)
    assert looks["failed"] == 0
