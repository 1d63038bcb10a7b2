"""A proof of a real training: the callback that keeps; stopped by `stop_training` after enough epochs."""

from __future__ import annotations

import pytest
from prove_bench import Bench

pytestmark = pytest.mark.slow

TRAINS = """
import os
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
import keras
import numpy as np


class Keeps(keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.saved = []

    def on_epoch_end(self, epoch, logs=None):
        self.saved.append(np.ones(250_000))


x, y = np.random.rand(256, 8), np.random.rand(256, 1)
model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(1)])
model.compile("sgd", "mse")
keeps = Keeps()
quiet = keras.callbacks.LambdaCallback()
model.fit(x, y, epochs=500, callbacks=[quiet, keeps], verbose=0)
model.save_weights("end.weights.h5")
print(len(keeps.saved))
"""


def test_the_callback_that_keeps_is_named(bench: Bench) -> None:
    script = bench.script(TRAINS)
    before = bench.hashes()
    proof = bench.proof(script)
    assert proof["cure"]["set"] == ["callback:Keeps"]
    (row,) = proof["interventions"]
    assert row["cycles"] == proof["baseline"]["cycles"] < 500
    assert abs(proof["baseline"]["growth"]["estimate"] - 2_000_000) < 200_000
    assert row["removed"]["low"] > 0.9
    assert bench.hashes() == before
    kept = (bench.captures / "1-as-it-is.log").read_text().split("\n")
    assert str(proof["baseline"]["cycles"]) in kept
