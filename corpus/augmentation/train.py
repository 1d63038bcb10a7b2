"""Images are flipped, rotated and zoomed on their way through tf.data and by layers of the model."""

import argparse

import keras
import numpy as np
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=14)
args = parser.parse_args()

keras.utils.set_random_seed(28)
rng = np.random.default_rng(28)
images = rng.random((256, 24, 24, 3)).astype("float32")
labels = rng.integers(0, 4, 256)


def augment(image, label):
    image = tf.image.random_flip_left_right(image)
    return tf.image.random_brightness(image, 0.1), label


dataset = (
    tf.data.Dataset.from_tensor_slices((images, labels))
    .shuffle(256)
    .map(augment, num_parallel_calls=tf.data.AUTOTUNE)
    .batch(32)
    .prefetch(2)
)
model = keras.Sequential(
    [
        keras.layers.Input((24, 24, 3)),
        keras.layers.RandomRotation(0.1),
        keras.layers.RandomZoom(0.1),
        keras.layers.Conv2D(8, 3, activation="relu"),
        keras.layers.Flatten(),
        keras.layers.Dense(4),
    ]
)
model.compile(optimizer="adam", loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(dataset, epochs=args.epochs, verbose=0)
