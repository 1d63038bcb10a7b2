"""One million rows of 100 float64 per epoch from a generator: only the batch at hand is in memory."""

import argparse

import keras
import numpy as np

ROWS, COLUMNS, BATCH = 1_000_000, 100, 8192
STEPS = ROWS // BATCH + 1

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=20)
args = parser.parse_args()

keras.utils.set_random_seed(5)
weights = np.random.default_rng(5).random(COLUMNS)


def batches():
    """Yield the same million rows again and again; the last batch of each round is the short one."""
    while True:
        rng = np.random.default_rng(6)
        for start in range(0, ROWS, BATCH):
            x = rng.random((min(BATCH, ROWS - start), COLUMNS))
            yield x, x @ weights


model = keras.Sequential(
    [
        keras.layers.Input((COLUMNS,)),
        keras.layers.Dense(16, activation="relu"),
        keras.layers.Dense(1),
    ]
)
model.compile(optimizer="adam", loss="mse")
model.fit(batches(), steps_per_epoch=STEPS, epochs=args.epochs, verbose=2)
