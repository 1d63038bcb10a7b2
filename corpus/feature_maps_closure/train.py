import argparse

import numpy as np
import tensorflow as tf
from tensorflow import keras

IMAGES = 96


def make_network():
    inputs = keras.Input((28, 28, 1))
    maps = keras.layers.Conv2D(8, 5, strides=2, activation="relu")(inputs)
    flat = keras.layers.Flatten()(keras.layers.MaxPooling2D()(maps))
    return keras.Model(inputs, keras.layers.Dense(10)(flat)), keras.Model(inputs, maps)


def watch_feature_maps(network, probe, keep_all):
    """A callback that looks at the first layer's maps after every epoch."""
    maps_seen = []

    def look(epoch, logs):
        maps = network(probe, training=False)
        if keep_all:
            maps_seen.append(maps)
        else:
            maps_seen.append(float(tf.reduce_mean(maps)))
        print(f"epoch {epoch}: {len(maps_seen)} looks")

    return keras.callbacks.LambdaCallback(on_epoch_end=look)


def main():
    parser = argparse.ArgumentParser(description="conv net on noise digits")
    parser.add_argument("--fixed", action="store_true")
    options = parser.parse_args()

    keras.utils.set_random_seed(104)
    rng = np.random.default_rng(104)
    images = rng.random((640, 28, 28, 1), dtype="float32")
    digits = rng.integers(0, 10, 640)

    model, network = make_network()
    model.compile("rmsprop", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    watcher = watch_feature_maps(network, tf.constant(images[:IMAGES]), keep_all=not options.fixed)
    model.fit(images, digits, batch_size=64, epochs=15, verbose=0, callbacks=[watcher])


main()
