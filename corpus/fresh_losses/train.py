"""Robust regression: the loss is chosen anew every round and given to the compiled step as a function."""

import argparse

import keras
import tensorflow as tf


def huber(delta):
    return lambda error: tf.where(tf.abs(error) < delta, 0.5 * error**2, delta * (tf.abs(error) - delta / 2))


class Robust:
    def __init__(self):
        self.model = keras.Sequential(
            [keras.Input((8,)), keras.layers.Dense(4, "relu"), keras.layers.Dense(1)]
        )
        self.losses = {}

    @tf.function
    def evaluate(self, loss, x, y):
        return tf.reduce_mean(loss(self.model(x) - y))


def main():
    cli = argparse.ArgumentParser()
    cli.add_argument("--rounds", type=int, default=60)
    cli.add_argument("--fixed", action="store_true", help="rounds go through three losses that stay the same")
    cli = cli.parse_args()
    keras.utils.set_random_seed(118)
    x = tf.random.normal((100, 8))
    y = tf.reduce_sum(x, axis=1, keepdims=True)
    robust = Robust()
    for number in range(cli.rounds):
        delta = 1.0 + number % 3
        if cli.fixed:
            loss = robust.losses.setdefault(delta, huber(delta))
        else:
            loss = robust.losses[number] = huber(delta)
        value = robust.evaluate(loss, x, y)
    print(f"{cli.rounds} rounds, finite: {bool(tf.math.is_finite(value))}")


main()
