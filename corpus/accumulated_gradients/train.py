"""Gradients are accumulated over four batches in variables made once, beside a slow copy of the weights."""

import argparse

import keras
import numpy as np
import tensorflow as tf


class Accumulating:
    def __init__(self, model, every=4):
        self.model, self.every = model, every
        self.optimizer = keras.optimizers.AdamW(1e-3)
        self.optimizer.build(model.trainable_variables)
        self.sums = [tf.Variable(tf.zeros(v.shape), trainable=False) for v in model.trainable_variables]
        self.slow = [weight.copy() for weight in model.get_weights()]
        self.losses = []

    @tf.function
    def add(self, x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(self.model(x, training=True) - y))
        for total, gradient in zip(
            self.sums, tape.gradient(loss, self.model.trainable_variables), strict=True
        ):
            total.assign_add(gradient / self.every)
        return loss

    @tf.function
    def apply(self):
        self.optimizer.apply_gradients(zip(self.sums, self.model.trainable_variables, strict=True))
        for total in self.sums:
            total.assign(tf.zeros_like(total))

    def round(self, batches):
        for x, y in batches:
            loss = self.add(x, y)
        self.apply()
        self.slow = [0.99 * a + 0.01 * b for a, b in zip(self.slow, self.model.get_weights(), strict=True)]
        self.losses.append(float(loss))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=300)
    args = parser.parse_args()
    keras.utils.set_random_seed(216)
    rng = np.random.default_rng(216)
    model = keras.Sequential([keras.Input((32,)), keras.layers.Dense(128, "relu"), keras.layers.Dense(1)])
    trainer = Accumulating(model)
    for _ in range(args.rounds):
        x = rng.normal(size=(4, 16, 32)).astype("float32")
        trainer.round([(tf.constant(part), tf.constant(part[:, :1])) for part in x])
    print(f"{len(trainer.losses)} rounds, {trainer.losses[-1] < trainer.losses[0]}")


main()
