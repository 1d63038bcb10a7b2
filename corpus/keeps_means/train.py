"""The callback that keeps every prediction, mended: it keeps the mean of each."""

import argparse

import keras
import numpy as np


class PredictionMeans(keras.callbacks.Callback):
    def __init__(self, x_val):
        super().__init__()
        self.x_val = x_val
        self.means = []

    def on_epoch_end(self, epoch, logs=None):
        self.means.append(float(self.model.predict(self.x_val, verbose=0).mean()))


parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=40)
args = parser.parse_args()

keras.utils.set_random_seed(8)
rng = np.random.default_rng(8)
x = rng.random((2000, 50)).astype("float32")
y = x @ rng.random((50, 500)).astype("float32")
x_val = rng.random((2000, 50)).astype("float32")

model = keras.Sequential(
    [
        keras.layers.Input((50,)),
        keras.layers.Dense(64, activation="relu"),
        keras.layers.Dense(500),
    ]
)
model.compile(optimizer="adam", loss="mse")
kept = PredictionMeans(x_val)
model.fit(x, y, batch_size=64, epochs=args.epochs, callbacks=[kept], verbose=0)
print(f"kept {len(kept.means)} means")
