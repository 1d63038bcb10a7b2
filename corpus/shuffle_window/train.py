"""Rows are read one by one through a shuffle window that is large beside an epoch."""

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers, models

WINDOW, EPOCHS, STEPS, BATCH = 20_000, 24, 40, 64


def rows():
    rng = np.random.default_rng(202)
    while True:
        block = rng.random((500, 64), dtype="float32")
        yield block, block.sum(axis=1)


spec = tf.TensorSpec((500, 64)), tf.TensorSpec((500,))
stream = tf.data.Dataset.from_generator(rows, output_signature=spec).unbatch()
stream = stream.shuffle(WINDOW, seed=202).batch(BATCH).prefetch(tf.data.AUTOTUNE)

tf.keras.utils.set_random_seed(202)
model = models.Sequential([layers.Input((64,)), layers.Dense(16, activation="relu"), layers.Dense(1)])
model.compile(loss="mse", optimizer="adam")
model.fit(stream, steps_per_epoch=STEPS, epochs=EPOCHS, verbose=0)
print("rows seen:", STEPS * BATCH * EPOCHS)
