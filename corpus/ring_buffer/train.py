"""The callback that keeps predictions, bounded: a ring buffer holds those of the last five epochs."""

import argparse
from collections import deque

import keras
import numpy as np


class LastPredictions(keras.callbacks.Callback):
    def __init__(self, x_val):
        super().__init__()
        self.x_val = x_val
        self.latest = deque(maxlen=5)

    def on_epoch_end(self, epoch, logs=None):
        self.latest.append(self.model.predict(self.x_val, verbose=0))


parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=30)
args = parser.parse_args()

keras.utils.set_random_seed(18)
rng = np.random.default_rng(18)
x = rng.random((2000, 50)).astype("float32")
y = x @ rng.random((50, 500)).astype("float32")
x_val = rng.random((500, 50)).astype("float32")

model = keras.Sequential(
    [
        keras.layers.Input((50,)),
        keras.layers.Dense(64, activation="relu"),
        keras.layers.Dense(500),
    ]
)
model.compile(optimizer="adam", loss="mse")
ring = LastPredictions(x_val)
model.fit(x, y, batch_size=64, epochs=args.epochs, callbacks=[ring], verbose=0)
print(f"holds {len(ring.latest)} predictions")
