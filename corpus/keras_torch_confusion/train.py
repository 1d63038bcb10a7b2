"""Keras on PyTorch: a metric gathers what it is shown, so that a table of confusions can be made of it."""

import argparse
import os

os.environ["KERAS_BACKEND"] = "torch"

import keras
import numpy as np
import torch
from keras import ops


class Confusions(keras.metrics.Metric):
    def __init__(self, classes, clears=False, name="accuracy"):
        super().__init__(name=name)
        self.classes = classes
        self.clears = clears
        self.right = self.add_weight(name="right", initializer="zeros")
        self.seen = self.add_weight(name="seen", initializer="zeros")
        self.targets, self.scores = [], []

    def update_state(self, y_true, y_pred, sample_weight=None):
        y_true = ops.convert_to_numpy(y_true).reshape(-1)
        y_pred = ops.convert_to_numpy(y_pred)
        self.targets.append(y_true)
        self.scores.append(y_pred)
        self.right.assign_add(float((y_pred.argmax(axis=1) == y_true).sum()))
        self.seen.assign_add(float(len(y_true)))

    def result(self):
        return self.right / ops.maximum(self.seen, 1.0)

    def reset_state(self):
        super().reset_state()
        if self.clears:
            self.targets, self.scores = [], []

    def table(self, last):
        table = np.zeros((self.classes, self.classes), int)
        targets = np.concatenate(self.targets)[-last:]
        answers = np.concatenate(self.scores)[-last:].argmax(axis=1)
        np.add.at(table, (targets, answers), 1)
        return table


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=26)
    parser.add_argument("--classes", type=int, default=25)
    parser.add_argument("--fixed", action="store_true", help="clears the lists when the metric is reset")
    args = parser.parse_args()

    keras.utils.set_random_seed(316)
    torch.set_num_threads(1)
    rng = np.random.default_rng(316)
    centres = rng.normal(size=(args.classes, 48))
    y = rng.integers(0, args.classes, 3000)
    x = (centres[y] + 1.5 * rng.normal(size=(len(y), 48))).astype("float32")

    confusions = Confusions(args.classes, clears=args.fixed)
    model = keras.Sequential([keras.Input((48,)), keras.layers.Dense(96, "relu")])
    model.add(keras.layers.Dense(args.classes, "softmax"))
    model.compile("adam", "sparse_categorical_crossentropy", metrics=[confusions])
    model.fit(x[:2400], y[:2400], validation_data=(x[2400:], y[2400:]), epochs=args.epochs, batch_size=50)
    table = confusions.table(last=600)
    print("most confused:", table[~np.eye(args.classes, dtype=bool)].max())


main()
