"""Keras on PyTorch: what a network says about a few probes is kept of each epoch, to see when it settles."""

import argparse
import os

os.environ["KERAS_BACKEND"] = "torch"

import keras
import numpy as np
import torch
from keras import layers


class Settling(keras.callbacks.Callback):
    """How far the answers moved since the epoch before."""

    def __init__(self, probes, plain_arrays):
        super().__init__()
        self.probes = probes
        self.plain_arrays = plain_arrays
        self.answers = []

    def on_epoch_end(self, epoch, logs=None):
        answer = self.model(self.probes, training=False)
        if self.plain_arrays:
            answer = keras.ops.convert_to_numpy(answer).mean(axis=0)
        self.answers.append(answer)

    def settled_in(self, limit):
        for epoch, (before, after) in enumerate(zip(self.answers, self.answers[1:], strict=False)):
            if float(keras.ops.max(keras.ops.abs(after - before))) < limit:
                return epoch
        return None


def regressor(features, outputs):
    inputs = keras.Input((features,))
    state = layers.Dense(128, activation="relu")(inputs)
    state = layers.Dense(128, activation="relu")(state)
    model = keras.Model(inputs, layers.Dense(outputs)(state))
    model.compile(optimizer=keras.optimizers.Adam(1e-3), loss="mse")
    return model


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=26)
    parser.add_argument("--fixed", action="store_true", help="keeps the mean answer as an array")
    args = parser.parse_args()

    keras.utils.set_random_seed(311)
    torch.set_num_threads(1)
    rng = np.random.default_rng(311)
    x = rng.normal(size=(6000, 64)).astype("float32")
    y = np.tanh(x @ rng.normal(size=(64, 20)) / 8).astype("float32")
    settling = Settling(x[:512], args.fixed)
    model = regressor(64, 20)
    model.fit(x, y, batch_size=64, epochs=args.epochs, verbose=2, callbacks=[settling])
    print("settled in epoch", settling.settled_in(0.02))


if __name__ == "__main__":
    main()
