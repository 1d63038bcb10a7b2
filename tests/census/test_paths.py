"""Paths to containers, one per way of holding one, in every interpreter that is there."""

from __future__ import annotations

import sys

import pytest
from paths_support import run

# What the program says of each, by the name that it gives it.
EXPECTED = {
    "failed": [],
    "cases": 49,
    "only_c": ["NativeHeld", "native code", [None]],
    "cycle": ["Garbage", "garbage"],
    "hooks": "many(): hooks[*].<closure table>[*]",
    "steps": "many(): steps[*].<default rows>[*]",
    "layers": "many(): layers[*].call.<closure table>[*]",
    "saved": ["Reachable", "__main__.SAVED[*]"],
    "plain": {
        "__main__.TEXTS[*]": 20,
        "__main__.NUMBERS[*]": 20,
        "__main__.SPELLED[*]": 20,
        "__main__.MIXED[*]": 10,
        "__main__.ROWS[*].<key>": 20,
        "__main__.WORDS[0].kept[0][*]": 1,
    },
    "spoken": {"__main__.SPOKEN[*]": [0, 1, 2]},
    "weighed": ["__main__.TEXTS[*]", True, True],
    "pages": True,  # what two lists keep, and only one object both lists
}


@pytest.mark.parametrize("what", EXPECTED)
def test_each_way_of_holding(what: str, python: str, probe: str) -> None:
    assert run(python, probe, "paths_cases.py")[what] == EXPECTED[what]


def test_variables_of_contexts(python: str, probe: str) -> None:
    """What `contextvars` hold, in every thread; in Flask's words where they are Flask's."""
    told = run(python, probe, "paths_cases.py")
    if told["minor"] >= 14:
        pytest.skip("where a thread has its context is not known of Python 3.14")
    assert told["contexts"] == 6, told["told"]


def test_what_a_call_was_made_with_while_it_ends(probe: str) -> None:
    """Our own wrapper is then the only one whose arguments lead to it: no native code keeps it."""
    assert run(sys.executable, probe, "paths_ending.py") == [["fit(): callbacks[0].kept[*]"], 4]
