"""Gradients of some layers are wanted later, so each tape is put aside with its loss."""

import argparse
import collections

import keras
import numpy as np
import tensorflow as tf

Put = collections.namedtuple("Put", "tape loss")


class Trainer:
    def __init__(self, keep):
        self.aside = collections.deque(maxlen=keep)
        self.model = keras.Sequential(
            [keras.Input((50,)), keras.layers.Dense(100, activation="elu"), keras.layers.Dense(5)]
        )
        self.optimizer = keras.optimizers.Adam()
        self.forward = tf.function(self.model)

    def step(self, x, y):
        with tf.GradientTape(persistent=True) as tape:
            loss = tf.reduce_mean(tf.keras.losses.mse(y, self.forward(x)))
        gradients = tape.gradient(loss, self.model.trainable_variables)
        self.optimizer.apply(gradients, self.model.trainable_variables)
        self.aside.append(Put(tape, loss))
        return float(loss)


def main():
    cli = argparse.ArgumentParser()
    cli.add_argument("--fixed", action="store_true", help="only the two newest tapes")
    cli.add_argument("--steps", type=int, default=150)
    cli = cli.parse_args()
    keras.utils.set_random_seed(110)
    rng = np.random.default_rng(110)
    x = rng.random((512, 50), dtype="float32")
    y = rng.random((512, 5), dtype="float32")
    trainer = Trainer(keep=2 if cli.fixed else None)
    losses = [trainer.step(x, y) for _ in range(cli.steps)]
    print(f"{losses[0] > losses[-1]}, {len(trainer.aside)} aside")


main()
