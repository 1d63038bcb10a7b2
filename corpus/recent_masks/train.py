"""A small segmentation network; somebody wants to leaf through its masks afterwards."""

import argparse

import keras
import numpy as np
from keras import layers
from watching import MaskWatch


def network(size):
    picture = keras.Input((size, size, 1))
    x = layers.Conv2D(6, 5, padding="same", activation="relu")(picture)
    x = layers.Conv2D(1, 1, activation="sigmoid")(x)
    return keras.Model(picture, x)


def discs(count, size, rng):
    rows, columns = np.mgrid[:size, :size]
    centres = rng.integers(8, size - 8, (count, 2, 1, 1))
    inside = (rows - centres[:, 0]) ** 2 + (columns - centres[:, 1]) ** 2 < 30
    noisy = inside + rng.normal(0, 0.3, inside.shape)
    return noisy[..., None].astype("float32"), inside[..., None].astype("float32")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=16)
    parser.add_argument("--fixed", action="store_true", help="only the masks of the last three epochs")
    options = parser.parse_args()
    keras.utils.set_random_seed(151)
    pictures, masks = discs(160, 64, np.random.default_rng(151))
    watch = MaskWatch(pictures[:128], most=3 if options.fixed else None)
    model = network(64)
    model.compile("adam", "binary_crossentropy")
    model.fit(pictures, masks, epochs=options.epochs, callbacks=[watch], verbose=0)
    print("last masks of epoch", watch.recent[-1][0], watch.recent[-1][1].shape)
