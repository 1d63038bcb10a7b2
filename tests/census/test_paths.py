"""Paths to containers, one per way of holding one, in every interpreter that is there."""

from __future__ import annotations

from paths_support import run


def test_each_way_of_holding(python: str, probe: str) -> None:
    said = run(python, probe, "paths_cases.py")
    assert said["failed"] == []
    assert said["cases"] == 39
    assert said["only_c"] == ["NativeHeld", "native code", [None]]
    assert said["cycle"] == ["Garbage", "garbage"]
    assert said["hooks"] == "many(): hooks[*].<closure table>[*]"
    assert said["steps"] == "many(): steps[*].<default rows>[*]"
    assert said["layers"] == "many(): layers[*].call.<closure table>[*]"
    assert said["saved"] == ["Reachable", "__main__.SAVED[*]"]
