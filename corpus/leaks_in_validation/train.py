"""A callback that collects something in validation only, and never lets it go."""

import argparse

import keras
import numpy as np


class Collects(keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.confusions = []

    def on_test_batch_end(self, batch, logs=None):
        self.confusions.append(np.full((100, 100), logs["loss"], dtype="float32"))


parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=12)
args = parser.parse_args()

keras.utils.set_random_seed(17)
rng = np.random.default_rng(17)
x = rng.random((2000, 50)).astype("float32")
y = x @ rng.random((50, 1)).astype("float32")

model = keras.Sequential(
    [
        keras.layers.Input((50,)),
        keras.layers.Dense(64, activation="relu"),
        keras.layers.Dense(1),
    ]
)
model.compile(optimizer="adam", loss="mse")
collects = Collects()
model.fit(
    x[:1500],
    y[:1500],
    batch_size=50,
    epochs=args.epochs,
    validation_data=(x[1500:], y[1500:]),
    callbacks=[collects],
    verbose=0,
)
print(f"collected {len(collects.confusions)} confusions")
