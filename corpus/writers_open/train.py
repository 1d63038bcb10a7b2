"""A sweep writes summaries of each trial, one file per region of the data."""

import argparse
import os
import tempfile

import numpy as np
import tensorflow as tf


class Sweep:
    def __init__(self, folder, close):
        self.folder = folder
        self.close = close
        self.writers = {}
        self.model = tf.keras.Sequential([tf.keras.Input((12,)), tf.keras.layers.Dense(1)])
        self.model.compile("sgd", "mse")

    def trial(self, number, x, y):
        parts = np.array_split(np.arange(len(x)), 10)
        self.model.fit(x, y, epochs=1, batch_size=64, verbose=0)
        for region, part in enumerate(parts):
            writer = tf.summary.create_file_writer(os.path.join(self.folder, f"{number}-{region}"))
            self.writers[number, region] = writer
            with writer.as_default():
                tf.summary.write("loss", self.model.test_on_batch(x[part], y[part]), step=number)
                tf.summary.write("kernel", self.model.layers[-1].kernel, step=number)
            if self.close:
                self.writers.pop((number, region)).close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--trials", type=int, default=24)
    parser.add_argument("--fixed", action="store_true", help="writers are closed")
    args = parser.parse_args()
    tf.keras.utils.set_random_seed(138)
    x = np.random.default_rng(138).random((4000, 12), dtype="float32")
    with tempfile.TemporaryDirectory() as folder:
        sweep = Sweep(folder, args.fixed)
        for number in range(args.trials):
            sweep.trial(number, x, x[:, :1])
    print(f"{args.trials} trials")


main()
