"""A clipped activation with a gradient of its own, defined anew whenever its bound changes."""

import argparse

import numpy as np
import tensorflow as tf


def clipped(bound):
    @tf.custom_gradient
    def activation(x):
        def back(upstream):
            return tf.where(tf.abs(x) < 2 * bound, upstream, tf.zeros_like(upstream))

        return tf.clip_by_value(x, -bound, bound), back

    return activation


@tf.custom_gradient
def clipped_by(x, bound):
    def back(upstream):
        return tf.where(tf.abs(x) < 2 * bound, upstream, tf.zeros_like(upstream)), None

    return tf.clip_by_value(x, -bound, bound), back


def compiled(weights, bound):
    activation = clipped(bound)

    @tf.function
    def energy(x):
        return tf.reduce_mean(tf.square(activation(x @ weights)))

    return energy


def main():
    cli = argparse.ArgumentParser()
    cli.add_argument("--bounds", type=int, default=80)
    cli.add_argument("--fixed", action="store_true", help="the bound is an argument of one function")
    cli = cli.parse_args()
    rng = np.random.default_rng(143)
    x = tf.constant(rng.normal(size=(200, 30)), tf.float32)
    weights = tf.constant(rng.normal(size=(30, 30)), tf.float32)
    energy_of = tf.function(lambda x, bound: tf.reduce_mean(tf.square(clipped_by(x @ weights, bound))))
    total = 0.0
    for bound in np.linspace(0.5, 3, cli.bounds):
        if cli.fixed:
            total += float(energy_of(x, tf.constant(np.asarray(bound, "float32"))))
        else:
            energy = compiled(weights, float(bound))
            total += float(energy(x))
    print(f"{cli.bounds} bounds, {total > 0}")


main()
