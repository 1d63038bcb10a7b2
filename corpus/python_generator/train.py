"""fit() from a PyDataset with worker threads that makes its batches on the fly."""

import argparse

import keras
import numpy as np


class Batches(keras.utils.PyDataset):
    def __len__(self):
        return 40

    def __getitem__(self, index):
        x = np.random.default_rng(index).random((64, 100)).astype("float32")
        return x, x.sum(axis=1, keepdims=True)


parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=16)
args = parser.parse_args()

keras.utils.set_random_seed(26)
model = keras.Sequential(
    [
        keras.layers.Input((100,)),
        keras.layers.Dense(64, activation="relu"),
        keras.layers.Dense(1),
    ]
)
model.compile(optimizer="adam", loss="mse")
model.fit(Batches(workers=2, max_queue_size=4), epochs=args.epochs, verbose=0)
