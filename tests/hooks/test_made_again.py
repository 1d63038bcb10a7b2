"""Functions that are traced or compiled again: what is remembered of them, and when it is told."""

from __future__ import annotations

import types

import pytest
from nilometer.hooks import made_again


def test_another_function_is_told_from_the_same() -> None:
    def step() -> None:
        """A function that is made once."""

    known = made_again.Known()
    known.remember(step, None, step)
    assert known.another(step, None) == ""
    assert known.has_wrapper(step)
    assert known.another(lambda: None, None) == "a new lambda each time"
    assert known.another(types.FunctionType(step.__code__, {}), None) == "a new function object each time"
    assert known.another(step, object()) == "a method of a new object each time"


def test_nothing_that_is_remembered_is_kept_alive() -> None:
    known = made_again.Known()
    step = types.FunctionType(made_again.weak.__code__, {})
    gone = made_again.weak(step)
    known.remember(step, None, step)
    del step
    assert gone() is None


def test_one_function_too_many_is_a_loss_that_is_said_once(monkeypatch: pytest.MonkeyPatch) -> None:
    lost: list[str] = []
    monkeypatch.setattr(made_again, "_native", types.SimpleNamespace(lost=lost.append))
    monkeypatch.setattr(made_again, "_MAX_FUNCTIONS", 2)
    functions = made_again.Functions("compiled")
    found = [functions.of(("train.py", line, "step")) for line in (1, 2, 1, 3, 4)]
    assert found[0] is found[2] is not None
    assert found[3:] == [None, None]
    assert lost == ["more than 2 functions were compiled: later ones are not told"]


def test_later_times_are_told_once_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    known, told = made_again.Known(), []
    for nth in range(1, 400):
        # Ten times in each second.
        monkeypatch.setattr(made_again, "monotonic", lambda nth=nth: 100 + nth / 10)
        known.nth = nth
        if known.is_told():
            told.append(nth)
    assert told[:256] == list(range(1, 257))
    assert told[256:] == list(range(266, 400, 10))
