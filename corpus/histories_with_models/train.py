"""Candidates of different widths; every History is kept in order to compare the curves."""

import argparse

import keras
import numpy as np

options = argparse.ArgumentParser(description=__doc__)
options.add_argument(
    "--fixed", action="store_true", help="one model is reset, and curves are kept without it"
)
options.add_argument("--candidates", type=int, default=24)
options = options.parse_args()

keras.utils.set_random_seed(112)
rng = np.random.default_rng(112)
x = rng.random((200, 30), dtype="float32")
y = x[:, :1] * x[:, 1:2]


def candidate():
    model = keras.Sequential(
        [keras.Input((30,)), keras.layers.Dense(500, activation="relu"), keras.layers.Dense(1)]
    )
    model.compile(optimizer="sgd", loss="mse")
    return model


curves = []
shared = candidate()
initial = shared.get_weights()
for number in range(options.candidates):
    if options.fixed:
        shared.set_weights(initial)
        shared.optimizer.learning_rate = 0.001 * (number + 1)
        curves.append(shared.fit(x, y, epochs=2, batch_size=50, verbose=0).history["loss"])
    else:
        model = candidate()
        model.optimizer.learning_rate = 0.001 * (number + 1)
        curves.append(model.fit(x, y, epochs=2, batch_size=50, verbose=0))
print(f"{len(curves)} curves")
