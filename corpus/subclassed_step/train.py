"""A subclassed model with a train_step of its own that tracks its own means."""

import argparse

import keras
import numpy as np
import tensorflow as tf


class Autoencoder(keras.Model):
    def __init__(self):
        super().__init__()
        self.encoder = keras.layers.Dense(16, activation="relu")
        self.decoder = keras.layers.Dense(64)
        self.error = keras.metrics.Mean(name="error")

    @property
    def metrics(self):
        return [self.error]

    def call(self, x):
        return self.decoder(self.encoder(x))

    def train_step(self, x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(x - self(x, training=True)))
        variables = self.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        self.error.update_state(loss)
        return {"error": self.error.result()}


parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=16)
args = parser.parse_args()

keras.utils.set_random_seed(23)
x = np.random.default_rng(23).random((2000, 64)).astype("float32")

model = Autoencoder()
model.compile(optimizer="adam")
model.fit(x, batch_size=64, epochs=args.epochs, verbose=0)
