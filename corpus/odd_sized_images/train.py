"""A fully convolutional net is asked about pictures of ever other sizes, one at a time."""

import argparse

import keras
import numpy as np
from keras import layers


def network():
    return keras.Sequential(
        [
            layers.Input((None, None, 3)),
            layers.Conv2D(16, 3, padding="same", activation="relu"),
            layers.Conv2D(16, 3, padding="same", activation="relu"),
            layers.GlobalAveragePooling2D(),
            layers.Dense(2, activation="softmax"),
        ]
    )


def pictures(count, square, rng):
    for number in range(count):
        height, width = (48, 48) if square else (20 + number // 15, 20 + number % 15 * 2)
        yield rng.random((1, height, width, 3), dtype="float32")


def main():
    cli = argparse.ArgumentParser()
    cli.add_argument("--pictures", type=int, default=225)
    cli.add_argument("--fixed", action="store_true", help="all pictures have one size")
    cli = cli.parse_args()
    keras.utils.set_random_seed(121)
    net = network()
    counts = np.zeros(2, int)
    for picture in pictures(cli.pictures, cli.fixed, np.random.default_rng(121)):
        counts[np.argmax(net.predict_on_batch(picture))] += 1
    print("pictures:", counts.sum())


main()
