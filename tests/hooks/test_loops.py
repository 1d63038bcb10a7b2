"""Which turns of loops are told, on any Python: the events of `sys.monitoring` are given by hand."""

from __future__ import annotations

import importlib.util
import sys
from types import CodeType, SimpleNamespace
from typing import Any

import pytest

DISABLE = object()
CODE = compile("for a in x:\n    for b in y:\n        pass\nwhile z:\n    pass\n", "train.py", "exec")
# Offsets of jumps back and of their heads: a loop, one inside of it, one behind it.
OUTER, INNER, NEXT = (100, 10), (80, 40), (200, 150)


class Told:
    """The module with a clock and a native part of its own, and what it tells."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        # A copy of its own: modules that other tests use keep the real native part.
        spec = importlib.util.find_spec("nilometer.hooks.loops")
        assert spec is not None
        assert spec.loader is not None
        self.loops: Any = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.loops)
        native = SimpleNamespace(turn=lambda key, place: self.turns.append((key, place)))
        monkeypatch.setattr(self.loops, "_native", native)
        self.turns: list[tuple[int, str]] = []
        self.now = 0.0
        monkeypatch.setattr(self.loops, "monotonic", lambda: self.now)
        monkeypatch.setattr(sys, "monitoring", SimpleNamespace(DISABLE=DISABLE), raising=False)

    def jump(self, loop: tuple[int, int], code: CodeType = CODE) -> bool:
        """Whether the jump goes on to be told."""
        return self.loops._jump(code, *loop) is not DISABLE


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Told:
    return Told(monkeypatch)


def test_every_turn_of_a_slow_loop_is_told(told: Told) -> None:
    for _ in range(500):
        told.now += 0.01
        assert told.jump(OUTER)
    assert len(told.turns) == 500
    assert len(set(told.turns)) == 1
    assert told.turns[0][1].startswith("train.py:")


def test_a_loop_of_more_than_a_thousand_turns_a_second_is_left_alone(told: Told) -> None:
    for turn in range(1, 64):
        told.now += 0.0005
        assert told.jump(OUTER), turn
    told.now += 0.0005
    assert not told.jump(OUTER)


def test_a_jump_forward_is_no_turn(told: Told) -> None:
    assert not told.jump((10, 100))
    assert told.turns == []


def test_loops_inside_of_one_that_turned_eight_times_are_left_alone(told: Told) -> None:
    for turn in range(1, 9):
        for _ in range(3):
            told.now += 0.01
            assert told.jump(INNER), turn
        assert told.jump(NEXT)
        assert told.jump(OUTER)
    assert not told.jump(INNER)
    assert told.jump(NEXT)
    assert told.jump(OUTER)


def test_the_same_loop_of_another_function_is_its_own(told: Told) -> None:
    other = compile("while z:\n    pass\n", "other.py", "exec")
    assert told.jump(OUTER)
    assert told.jump(OUTER, other)
    assert len({key for key, _ in told.turns}) == 2
