"""Keras on JAX: the path that the weights take is recorded and drawn later on a plane."""

import argparse
import os

os.environ["KERAS_BACKEND"] = "jax"

import keras
import numpy as np


def flat(weights):
    return np.concatenate([weight.ravel() for weight in weights])


class WeightPath(keras.callbacks.Callback):
    def __init__(self, every):
        super().__init__()
        self.every = every
        self.points = []

    def on_train_batch_end(self, batch, logs=None):
        if batch % self.every == 0:
            self.points.append(flat(self.model.get_weights()))

    def on_plane(self):
        path = np.stack(self.points) - self.points[-1]
        small = path @ path.T
        values, vectors = np.linalg.eigh(small)
        return vectors[:, -2:] * np.sqrt(np.maximum(values[-2:], 0))


class ProjectedWeightPath(WeightPath):
    """Records the place on a plane that is drawn at random before the training."""

    def on_train_begin(self, logs=None):
        rng = np.random.default_rng(0)
        self.axes = rng.normal(size=(2, self.model.count_params())).astype("float32")

    def on_train_batch_end(self, batch, logs=None):
        if batch % self.every == 0:
            self.points.append(self.axes @ flat(self.model.get_weights()))

    def on_plane(self):
        return np.stack(self.points)


def images(rng, count, side=20):
    y = rng.integers(0, 4, count)
    x = rng.normal(0, 0.3, (count, side, side, 1))
    grid = np.arange(side)
    waves = [np.sin(grid * (k + 1) / 2) for k in range(4)]
    x[..., 0] += np.stack(waves)[y][:, None, :]
    return x.astype("float32"), y


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=24)
    parser.add_argument("--every", type=int, default=6)
    parser.add_argument("--fixed", action="store_true", help="projects the weights at once")
    args = parser.parse_args()
    keras.utils.set_random_seed(323)
    x, y = images(np.random.default_rng(323), 1200)
    inputs = keras.Input(x.shape[1:])
    state = keras.layers.Conv2D(16, 3, activation="relu")(inputs)
    state = keras.layers.Conv2D(32, 3, strides=2, activation="relu")(state)
    state = keras.layers.GlobalAveragePooling2D()(state)
    state = keras.layers.Dense(192, activation="relu")(state)
    model = keras.Model(inputs, keras.layers.Dense(4)(state))
    crossentropy = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("adam", loss=crossentropy, metrics=["accuracy"])
    path = (ProjectedWeightPath if args.fixed else WeightPath)(args.every)
    model.fit(x, y, batch_size=40, epochs=args.epochs, callbacks=[path], verbose=2)
    print("length of the path:", len(path.on_plane()))


if __name__ == "__main__":
    main()
