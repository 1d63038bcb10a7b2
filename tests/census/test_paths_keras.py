"""Paths inside a real Keras job."""

from __future__ import annotations

import sys

import pytest
from paths_support import run

BYTES = 1000 * 100 * 8


@pytest.mark.slow
def test_a_callback_that_keeps_predictions(probe: str) -> None:
    pytest.importorskip("keras")
    said = run(sys.executable, probe, "paths_keras.py")
    assert said["paths"] == [
        ["fit(): callbacks[0].saved[*]", "PredictionLogger"],
        ["fit(): callbacks[0].by_epoch[*]", "PredictionLogger"],
        ["PredictionLogger.history[*]", "PredictionLogger"],
    ]
    assert set(said["held"]) == {"fit(): callbacks[0].by_epoch[*]", "PredictionLogger.history[*]"}
    for ids, alone in said["held"].values():
        assert len(ids) == 4
        assert 4 * BYTES <= alone <= 1.01 * 4 * BYTES
    assert said["loose"] == []
