"""An MLP whose callback keeps a block, a thousand pieces or twenty thousand objects in every epoch."""

import argparse

import keras
import numpy as np


class Sample:
    __slots__ = ("index", "score")


class Keeps(keras.callbacks.Callback):
    def __init__(self, what):
        super().__init__()
        self.what = what
        self.blocks = []
        self.pieces = []
        self.samples = []

    def on_epoch_end(self, epoch, logs=None):
        if "block" in self.what:
            self.blocks.append(np.full(1 << 17, logs["loss"]))
        if "pieces" in self.what:
            self.pieces.append([bytes(1024) for _ in range(1000)])
        if "objects" in self.what:
            self.samples.append([Sample() for _ in range(20_000)])


parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=12)
parser.add_argument("--keep", nargs="+", default=["block", "pieces", "objects"])
args = parser.parse_args()

keras.utils.set_random_seed(11)
rng = np.random.default_rng(11)
x = rng.random((2000, 50)).astype("float32")
y = x @ rng.random((50, 1)).astype("float32")

model = keras.Sequential(
    [
        keras.layers.Input((50,)),
        keras.layers.Dense(128, activation="relu"),
        keras.layers.Dense(1),
    ]
)
model.compile(optimizer="adam", loss="mse")
kept = Keeps(args.keep)
model.fit(x, y, batch_size=64, epochs=args.epochs, callbacks=[kept], verbose=0)
print(f"kept {len(kept.blocks)} blocks, {len(kept.pieces)} x pieces, {len(kept.samples)} x objects")
