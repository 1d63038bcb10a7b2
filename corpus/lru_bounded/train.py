"""Samples are loaded through a cache of bounded size: it fills for some epochs and then stays."""

import argparse
from functools import lru_cache

import keras
import numpy as np


@lru_cache(maxsize=32)
def load(shard):
    rng = np.random.default_rng(shard)
    x = rng.random((500, 64)).astype("float32")
    return x, x.sum(axis=1, keepdims=True)


parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=40)
args = parser.parse_args()

keras.utils.set_random_seed(19)
order = np.random.default_rng(19)


def batches():
    while True:
        x, y = load(int(order.integers(40)))
        for start in range(0, 500, 50):
            yield x[start : start + 50], y[start : start + 50]


model = keras.Sequential(
    [
        keras.layers.Input((64,)),
        keras.layers.Dense(64, activation="relu"),
        keras.layers.Dense(1),
    ]
)
model.compile(optimizer="adam", loss="mse")
model.fit(batches(), steps_per_epoch=40, epochs=args.epochs, verbose=0)
print(f"{load.cache_info().currsize} shards in the cache")
