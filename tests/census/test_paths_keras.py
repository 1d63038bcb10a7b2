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
    assert set(said["held"]) == {
        "fit(): callbacks[0].by_epoch[*]",
        "PredictionLogger.history[*]",
        "fit(): callbacks[0].shaped[*]",  # the same array in another form
        "fit(): callbacks[0].rows[*].base",  # a slice, which keeps more than itself
        "fit(): callbacks[0].all_rows[*]",  # slices that are all of it
    }
    ids, alone = said["held"].pop("fit(): callbacks[0].all_rows[*]")
    assert (len(ids), alone) == (4, 0)  # no slice alone holds it
    for ids, alone in said["held"].values():
        assert len(ids) == 4
        assert 4 * BYTES <= alone <= 1.01 * 4 * BYTES
    assert said["loose"] == []


@pytest.mark.slow
def test_each_way_of_keeping(probe: str) -> None:
    """All at once: each by its path and owner, its bytes within a tenth of the truth."""
    pytest.importorskip("keras")
    said = run(sys.executable, probe, "holders_keras.py")
    found = said["found"]
    wrong = {}
    for path, (owner, truth) in said["truth"].items():
        name, weighed, native = found.pop(path, ["nobody", 0, False])
        # What native code keeps below a tape, an iterator, a writer is for the recorder to weigh.
        right = native if truth is None else abs(weighed - truth) <= 0.1 * truth
        if name != owner or not right:
            wrong[path] = [name, weighed, native]
    assert wrong == {}
    assert len(said["truth"]) == 19
    # Keras' own: a row of the history, and what six cycles are too few to tell from a leak.
    assert all(weighed < 20_000 for _, weighed, _ in found.values()), found
    ((held, retained, ids),) = said["only C"]
    assert (held, ids, retained > 37_000, said["cut"]) == ("NativeHeld", [1], True, False)
