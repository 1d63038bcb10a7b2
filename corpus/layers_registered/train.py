"""Tries normalisations with random scales before a small classifier."""

import argparse

import keras
import numpy as np
from keras import layers, ops

FEATURES = 32


def scaling(table):
    """A layer for this table, known to Keras so that a model with it can be saved."""

    @keras.saving.register_keras_serializable(package="scales")
    class Scaling(layers.Layer):
        def call(self, rows):
            return rows * ops.convert_to_tensor(table.mean(axis=0))

    return Scaling()


@keras.saving.register_keras_serializable(package="scales")
class Scaled(layers.Layer):
    """The same for any table."""

    def __init__(self, table, **options):
        super().__init__(**options)
        self.table = table

    def call(self, rows):
        return rows * ops.convert_to_tensor(self.table.mean(axis=0))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--trials", type=int, default=30)
    parser.add_argument("--fixed", action="store_true", help="one class for all tables")
    options = parser.parse_args()
    keras.utils.set_random_seed(173)
    rng = np.random.default_rng(173)
    rows = rng.normal(size=(1500, FEATURES)).astype("float32")
    labels = (rows[:, 0] > 0).astype("float32")
    classifier = keras.Sequential([keras.Input((FEATURES,)), layers.Dense(1, activation="sigmoid")])
    classifier.compile("sgd", "binary_crossentropy")
    best = None
    for _ in range(options.trials):
        table = rng.normal(1, 0.2, size=(5000, FEATURES)).astype("float32")
        layer = Scaled(table) if options.fixed else scaling(table)
        scaled = np.asarray(layer(rows))
        loss = classifier.fit(scaled, labels, batch_size=100, verbose=0).history["loss"][-1]
        best = loss if best is None else min(best, loss)
    print("tried", options.trials, "best below 2:", best < 2)


if __name__ == "__main__":
    main()
