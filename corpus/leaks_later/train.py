"""A callback that keeps the weights of every epoch after the tenth, to average them one day."""

import argparse

import keras
import numpy as np


class KeepsWeights(keras.callbacks.Callback):
    def __init__(self, start):
        super().__init__()
        self.start = start
        self.kept = []

    def on_epoch_end(self, epoch, logs=None):
        if epoch >= self.start:
            self.kept.append([weight.copy() for weight in self.model.get_weights()])


parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=30)
parser.add_argument("--start", type=int, default=10)
args = parser.parse_args()

keras.utils.set_random_seed(16)
rng = np.random.default_rng(16)
x = rng.random((2000, 100)).astype("float32")
y = x @ rng.random((100, 1)).astype("float32")

model = keras.Sequential(
    [
        keras.layers.Input((100,)),
        keras.layers.Dense(1000, activation="relu"),
        keras.layers.Dense(1),
    ]
)
model.compile(optimizer="adam", loss="mse")
kept = KeepsWeights(args.start)
model.fit(x, y, batch_size=64, epochs=args.epochs, callbacks=[kept], verbose=0)
print(f"kept {len(kept.kept)} times, {sum(w.nbytes for w in kept.kept[0])} bytes each")
