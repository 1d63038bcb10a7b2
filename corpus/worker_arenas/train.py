"""Features of each epoch are computed by ever new threads, whose arenas keep freed memory."""

import argparse
import threading

import keras
import numpy as np


class Features(keras.callbacks.Callback):
    def __init__(self, threads):
        super().__init__()
        self.threads = threads
        self.sums = np.zeros(threads)

    def compute(self, slot, seed):
        rng = np.random.default_rng(seed)
        pieces = [rng.random(rng.integers(2000, 9000)) for _ in range(60)]
        self.sums[slot] = sum(piece.sum() for piece in pieces)

    def on_epoch_begin(self, epoch, logs=None):
        crew = [
            threading.Thread(target=self.compute, args=(slot, epoch * self.threads + slot))
            for slot in range(self.threads)
        ]
        for worker in crew:
            worker.start()
        for worker in crew:
            worker.join()


parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=25)
parser.add_argument("--threads", type=int, default=12)
args = parser.parse_args()
keras.utils.set_random_seed(204)
rng = np.random.default_rng(204)
x = rng.random((600, 18))
model = keras.Sequential([keras.Input((18,)), keras.layers.Dense(9), keras.layers.Dense(1)])
model.compile("sgd", "mse")
features = Features(args.threads)
model.fit(x, x.mean(axis=1), epochs=args.epochs, verbose=0, callbacks=[features])
print("all threads worked:", bool((features.sums > 0).all()))
