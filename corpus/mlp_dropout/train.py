"""A wider MLP with dropout, written against tf.keras."""

import argparse

import numpy as np
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=16)
args = parser.parse_args()

tf.keras.utils.set_random_seed(2)
rng = np.random.default_rng(2)
x = rng.random((10_000, 200))
y = (x[:, :20].sum(axis=1) > 10).astype("float64")

model = tf.keras.Sequential(
    [
        tf.keras.layers.Input((200,)),
        tf.keras.layers.Dense(512, activation="relu"),
        tf.keras.layers.Dropout(0.3),
        tf.keras.layers.Dense(256, activation="relu"),
        tf.keras.layers.Dropout(0.3),
        tf.keras.layers.Dense(1, activation="sigmoid"),
    ]
)
model.compile(optimizer="adam", loss="binary_crossentropy", metrics=["accuracy"])
model.fit(x, y, batch_size=64, epochs=args.epochs)
