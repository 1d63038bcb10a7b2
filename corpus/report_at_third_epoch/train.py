"""Plain training; from the third epoch on a report is written by a package that is only then imported."""

import argparse

import keras
import numpy as np


class Report(keras.callbacks.Callback):
    def __init__(self, first):
        super().__init__()
        self.first = first
        self.losses = []
        self.text = ""

    def on_epoch_end(self, epoch, logs=None):
        self.losses.append(logs["loss"])
        if epoch >= self.first:
            from reporting import heavy

            self.text = heavy.summary(self.losses)


def main():
    cli = argparse.ArgumentParser()
    cli.add_argument("--epochs", type=int, default=24)
    cli = cli.parse_args()
    keras.utils.set_random_seed(207)
    rng = np.random.default_rng(207)
    x = rng.random((900, 15))
    model = keras.Sequential([keras.Input((15,)), keras.layers.Dense(30, "relu"), keras.layers.Dense(1)])
    model.compile("adam", "mse")
    report = Report(first=3)
    model.fit(x, x.std(axis=1), epochs=cli.epochs, verbose=0, callbacks=[report])
    print(report.text)


main()
