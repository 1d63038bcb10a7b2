"""A GAN that keeps the first rows of all that it makes, to draw them later; rows keep the whole tensor."""

from __future__ import annotations

import argparse

import keras
import numpy as np
import tensorflow as tf


def step(
    tape: tf.GradientTape,
    loss: tf.Tensor,
    variables: list[tf.Variable],
    optimizer: keras.optimizers.Optimizer,
) -> None:
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))


class Painter(keras.Model):
    def __init__(self, last_only: bool) -> None:
        super().__init__()
        self.maker = keras.Sequential([keras.layers.Dense(64, activation="relu"), keras.layers.Dense(784)])
        self.judge = keras.Sequential([keras.layers.Dense(64, activation="relu"), keras.layers.Dense(1)])
        self.last_only = last_only
        self.previews: list[tf.Tensor] = []

    def compile(self, **more: object) -> None:
        super().compile(**more)
        self.maker_optimizer = keras.optimizers.Adam(1e-4)
        self.judge_optimizer = keras.optimizers.Adam(1e-4)
        self.entropy = keras.losses.BinaryCrossentropy(from_logits=True)

    def train_step(self, real: tf.Tensor) -> dict[str, tf.Tensor]:
        noise = tf.random.normal((32, 24))
        with tf.GradientTape() as tape:
            made = self.maker(noise)
            said = self.judge(made)
            of_maker = self.entropy(tf.ones_like(said), said)
        step(tape, of_maker, self.maker.trainable_variables, self.maker_optimizer)
        with tf.GradientTape() as tape:
            said_real, said_made = self.judge(real), self.judge(made)
            of_judge = self.entropy(tf.ones_like(said_real), said_real)
            of_judge += self.entropy(tf.zeros_like(said_made), said_made)
        step(tape, of_judge, self.judge.trainable_variables, self.judge_optimizer)
        if self.last_only:
            self.previews = [made[:2]]
        else:
            self.previews.append(made[:2])
        return {"judge": of_judge, "maker": of_maker}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=14)
    parser.add_argument("--last-only", action="store_true")
    options = parser.parse_args()
    pictures = np.random.default_rng(5).random((640, 784), dtype="float32")
    painter = Painter(options.last_only)
    painter.compile(run_eagerly=True)
    batches = tf.data.Dataset.from_tensor_slices(pictures).batch(32, drop_remainder=True)
    painter.fit(batches, epochs=options.epochs, verbose=0)
    print(f"{len(painter.previews) > 0} after {options.epochs} epochs")


if __name__ == "__main__":
    main()
