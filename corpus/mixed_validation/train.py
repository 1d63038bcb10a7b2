"""Validation every third epoch on a tf.data set, training on arrays class weights and metrics."""

import argparse

import keras
import numpy as np
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=24)
args = parser.parse_args()

keras.utils.set_random_seed(27)
rng = np.random.default_rng(27)
x = rng.random((2000, 40)).astype("float32")
y = (x.sum(axis=1) > 20).astype("float32")
validation = tf.data.Dataset.from_tensor_slices((x[1600:], y[1600:])).batch(64).cache()

model = keras.Sequential(
    [
        keras.layers.Input((40,)),
        keras.layers.Dense(64, activation="relu", kernel_regularizer="l2"),
        keras.layers.Dense(1, activation="sigmoid"),
    ]
)
model.compile(
    optimizer="adam",
    loss="binary_crossentropy",
    metrics=["accuracy", keras.metrics.AUC(), keras.metrics.Precision()],
)
model.fit(
    x[:1600],
    y[:1600],
    epochs=args.epochs,
    validation_data=validation,
    validation_freq=3,
    class_weight={0: 1.0, 1: 2.0},
    verbose=0,
)
