"""A small Conv2D network fed by tf.data with shuffle, batch and prefetch."""

import argparse

import keras
import numpy as np
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=16)
args = parser.parse_args()

keras.utils.set_random_seed(20)
rng = np.random.default_rng(20)
images = rng.random((512, 28, 28, 1)).astype("float32")
labels = rng.integers(0, 10, 512)
dataset = (
    tf.data.Dataset.from_tensor_slices((images, labels)).shuffle(256).batch(32).prefetch(tf.data.AUTOTUNE)
)

model = keras.Sequential(
    [
        keras.layers.Input((28, 28, 1)),
        keras.layers.Conv2D(8, 3, activation="relu"),
        keras.layers.MaxPooling2D(),
        keras.layers.BatchNormalization(),
        keras.layers.Conv2D(16, 3, activation="relu"),
        keras.layers.GlobalAveragePooling2D(),
        keras.layers.Dense(10),
    ]
)
model.compile(
    optimizer="adam", loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"]
)
model.fit(dataset, epochs=args.epochs, verbose=0)
