"""Every fifth epoch the weights are packed in memory several times over, and sent away."""

import io
import pickle
import sys

import numpy as np
import tensorflow as tf

EPOCHS = int(sys.argv[1]) if len(sys.argv) > 1 else 30


class Upload(tf.keras.callbacks.Callback):
    sent = 0

    def on_epoch_end(self, epoch, logs=None):
        if epoch % 5 != 4:
            return
        packed = io.BytesIO()
        for _ in range(6):
            pickle.dump(self.model.get_weights(), packed)
        self.sent += len(packed.getvalue())


def build():
    inputs = tf.keras.Input((50,))
    wide = tf.keras.layers.Dense(4000, activation="relu")(inputs)
    return tf.keras.Model(inputs, tf.keras.layers.Dense(10)(wide))


tf.keras.utils.set_random_seed(205)
x = np.random.default_rng(205).normal(size=(300, 50))
model = build()
model.compile("sgd", "mse")
upload = Upload()
model.fit(x, x[:, :10], epochs=EPOCHS, verbose=0, callbacks=[upload])
print("bytes sent:", upload.sent // 1_000_000, "MB")
