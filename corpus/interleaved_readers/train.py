"""Many readers are interleaved and prefetched: a lot of memory at once, and always the same."""

import argparse

import numpy as np
import tensorflow as tf
from tensorflow import keras

READERS, ROWS, COLUMNS = 16, 400, 96


def reader(number):
    seeds = tf.data.Dataset.range(ROWS).map(lambda row: tf.stack([number, row]))
    return seeds.map(lambda seed: tf.random.stateless_uniform((COLUMNS,), seed)).batch(20).prefetch(8)


def pipeline():
    blocks = tf.data.Dataset.range(READERS).interleave(
        reader, cycle_length=READERS, num_parallel_calls=tf.data.AUTOTUNE, deterministic=False
    )
    return blocks.map(lambda x: (x, tf.reduce_sum(x, axis=1, keepdims=True))).prefetch(tf.data.AUTOTUNE)


if __name__ == "__main__":
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--epochs", type=int, default=20)
    arguments = arguments.parse_args()
    keras.utils.set_random_seed(215)
    inputs = keras.Input((COLUMNS,))
    model = keras.Model(inputs, keras.layers.Dense(1)(keras.layers.Dense(12, "relu")(inputs)))
    model.compile("adam", "mse")
    history = model.fit(pipeline(), epochs=arguments.epochs, verbose=0)
    print(len(history.history["loss"]), np.isfinite(history.history["loss"]).all())
