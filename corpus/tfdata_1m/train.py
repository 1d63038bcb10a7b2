"""One million rows of 100 float64 through a tf.data pipeline with batch and prefetch."""

import argparse

import keras
import numpy as np
import tensorflow as tf

ROWS, COLUMNS = 1_000_000, 100

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=12)
args = parser.parse_args()

keras.utils.set_random_seed(7)
rng = np.random.default_rng(7)
x = rng.random((ROWS, COLUMNS))
y = x @ rng.random(COLUMNS)

dataset = tf.data.Dataset.from_tensor_slices((x, y)).batch(8192).prefetch(tf.data.AUTOTUNE)

model = keras.Sequential(
    [
        keras.layers.Input((COLUMNS,)),
        keras.layers.Dense(16, activation="relu"),
        keras.layers.Dense(1),
    ]
)
model.compile(optimizer="adam", loss="mse")
model.fit(dataset, epochs=args.epochs, verbose=2)
