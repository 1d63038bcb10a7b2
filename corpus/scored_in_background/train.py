"""After each epoch samples are scored in the background; whoever wants the scores may ask for them."""

import argparse
from concurrent.futures import ThreadPoolExecutor

import keras
import numpy as np


class Scores(keras.callbacks.Callback):
    def __init__(self, samples, keep_all):
        super().__init__()
        self.samples = samples
        self.keep_all = keep_all
        self.pool = ThreadPoolExecutor(2)
        self.answers = []

    def likeness(self, weights):
        projected = self.samples @ weights
        return projected @ projected.T

    def on_epoch_end(self, epoch, logs=None):
        self.answers.append(self.pool.submit(self.likeness, self.model.layers[0].get_weights()[0]))
        if not self.keep_all:
            self.answers = self.answers[-2:]

    def on_train_end(self, logs=None):
        print(f"{np.isfinite(self.answers[-1].result()).all()}")


parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=20)
parser.add_argument("--fixed", action="store_true", help="the last two are enough")
args = parser.parse_args()

keras.utils.set_random_seed(172)
x = np.random.default_rng(172).random((1500, 24), dtype="float32")
model = keras.Sequential([keras.Input((24,)), keras.layers.Dense(12, "tanh"), keras.layers.Dense(1)])
model.compile("sgd", "mse")
scores = Scores(x[:200], keep_all=not args.fixed)
model.fit(x, x[:, :1] * x[:, 1:2], epochs=args.epochs, batch_size=50, verbose=0, callbacks=[scores])
