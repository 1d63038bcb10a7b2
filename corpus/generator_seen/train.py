"""Training from a generator that remembers what it yielded, so that a run can be replayed."""

import argparse

import numpy as np
import tensorflow as tf

cli = argparse.ArgumentParser()
cli.add_argument("--fixed", action="store_true", help="remembers the seed of each batch instead")
cli.add_argument("--epochs", type=int, default=15)
cli = cli.parse_args()

tf.keras.utils.set_random_seed(107)


def crops(batch_size, remember_seeds):
    seen = []
    seed = 0
    while True:
        seed += 1
        crop = np.random.default_rng(seed).random((batch_size, 20, 20, 1), dtype="float32")
        seen.append(seed if remember_seeds else crop)
        yield crop, crop.mean(axis=(1, 2, 3))


net = tf.keras.Sequential()
net.add(tf.keras.layers.Input((20, 20, 1)))
net.add(tf.keras.layers.Conv2D(4, 3, activation="relu"))
net.add(tf.keras.layers.GlobalMaxPooling2D())
net.add(tf.keras.layers.Dense(1))
net.compile(loss="mse", optimizer=tf.keras.optimizers.Adam(1e-3))
net.fit(crops(32, cli.fixed), epochs=cli.epochs, steps_per_epoch=12, verbose=0)
print("trained for", cli.epochs, "epochs")
