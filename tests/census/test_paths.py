"""Paths to containers, one per way of holding one, in every interpreter that is there."""

from __future__ import annotations

import sys

from paths_support import run


def test_each_way_of_holding(python: str, probe: str) -> None:
    said = run(python, probe, "paths_cases.py")
    assert said["failed"] == []
    assert said["cases"] == 40
    assert said["only_c"] == ["NativeHeld", "native code", [None]]
    assert said["cycle"] == ["Garbage", "garbage"]
    assert said["hooks"] == "many(): hooks[*].<closure table>[*]"
    assert said["steps"] == "many(): steps[*].<default rows>[*]"
    assert said["layers"] == "many(): layers[*].call.<closure table>[*]"
    assert said["saved"] == ["Reachable", "__main__.SAVED[*]"]
    assert said["plain"] == {
        "__main__.TEXTS[*]": 20,
        "__main__.NUMBERS[*]": 20,
        "__main__.SPELLED[*]": 20,
        "__main__.MIXED[*]": 10,
        "__main__.ROWS[*].<key>": 20,
        "__main__.WORDS[0].kept[0][*]": 1,
    }
    assert said["spoken"] == {"__main__.SPOKEN[*]": [0, 1, 2]}
    assert said["weighed"] == ["__main__.TEXTS[*]", True, True]
    assert said["pages"], "what two lists keep, and only one object both lists"


def test_what_a_call_was_made_with_while_it_ends(probe: str) -> None:
    """Our own wrapper is then the only one whose arguments lead to it: no native code keeps it."""
    assert run(sys.executable, probe, "paths_ending.py") == [["fit(): callbacks[0].kept[*]"], 4]
