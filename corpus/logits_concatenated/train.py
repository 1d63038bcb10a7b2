"""A calibrator appends the validation logits of each epoch to one ever longer array."""

import argparse

import numpy as np
import tensorflow as tf
from tensorflow import keras


class Calibrator(keras.callbacks.Callback):
    def __init__(self, held_out, window):
        super().__init__()
        self.held_out = held_out
        self.window = window
        self.logits = np.empty((0, 8), "float32")

    def on_epoch_end(self, epoch, logs=None):
        fresh = self.model.predict_on_batch(self.held_out)
        self.logits = np.concatenate([self.logits, fresh])[-self.window :].copy()


def main(fixed=False, epochs=16):
    keras.utils.set_random_seed(140)
    points = np.random.default_rng(140).normal(size=(16_000, 6)).astype("float32")
    classes = (points[:, 0] > 0).astype(int) + 2 * (points[:, 1] > 0) + 4 * (points[:, 2] > 0)
    model = keras.Sequential([keras.Input((6,)), keras.layers.Dense(24, "silu"), keras.layers.Dense(8)])
    model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    calibrator = Calibrator(points[:15_000], window=30_000 if fixed else 10**9)
    model.fit(points[15_000:], classes[15_000:], epochs=epochs, verbose=0, callbacks=[calibrator])
    print(calibrator.logits.shape[1], "logits of many rows")


if __name__ == "__main__":
    options = argparse.ArgumentParser()
    options.add_argument("--fixed", action="store_true", help="two epochs' logits at most")
    main(**vars(options.parse_args()))
