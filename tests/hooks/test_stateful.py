"""Recurrent layers that keep their state: what is said of each way to train them, and of which nothing."""

from __future__ import annotations

import pytest
from hook_runner import PROGRAMS, Runner
from test_marks import KERAS, pytestmark  # noqa: F401

PROGRAM = PROGRAMS / "stateful.py"
SAID = {
    "shuffled": {"shuffled": "memory"},
    "not_reset": {"carried": "memory"},
    "both": {"shuffled": "memory", "carried": "memory"},
    "through_validation": {"validated": "memory"},
    "fitted_again": {"carried": "memory"},
    "as_a_data_set": {"carried": "memory"},
    "inside": {"carried": "within, forward_simple_rnn, backward_simple_rnn"},
}


@pytest.mark.skipif(KERAS != "keras", reason="only Keras 3 is followed")
def test_every_way_to_train(run: Runner) -> None:
    ended = run([str(PROGRAM)], {"TF_CPP_MIN_LOG_LEVEL": "3"})
    assert ended.code == 0, ended.stderr
    if not ended.facts()["framework.keras"].startswith("3."):
        pytest.skip("only Keras 3 is followed")
    assert ended.losses() == []
    said: dict[str, dict[str, str]] = {}
    places = []
    for _, key, value in ended.named("fact"):
        if key == "case":
            told = said.setdefault(value, {})
        elif key.startswith("stateful.") and key.endswith(".at"):
            places.append(value)
        elif key.startswith("stateful."):
            told[key.removeprefix("stateful.")] = value
    assert {name: told for name, told in said.items() if told} == SAID
    assert len(said) >= len(SAID) + 14
    # Each with the line of the program that calls `fit`.
    lines = PROGRAM.read_text().splitlines()
    assert len(places) == 8
    for place in places:
        file, _, line = place.rpartition(":")
        assert file == str(PROGRAM)
        assert ".fit(" in lines[int(line) - 1]
