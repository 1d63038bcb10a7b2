"""Denoising by a chain of steps: the level of noise falls each time, and each level is a new constant."""

import argparse

import keras
import numpy as np
import tensorflow as tf
from keras import layers


def network(width):
    picture, level = keras.Input((width,)), keras.Input((1,))
    hidden = layers.Dense(32, activation="silu")(layers.Concatenate()([picture, level]))
    return keras.Model([picture, level], layers.Dense(width)(hidden))


class Sampler:
    def __init__(self, width, as_array):
        self.model = network(width)
        self.as_array = as_array

    @tf.function
    def denoise(self, picture, level):
        levels = tf.fill((tf.shape(picture)[0], 1), level)
        return picture - level * self.model([picture, levels])

    def level(self, step, steps):
        level = 0.1 * (1.0 - step / steps) ** 2
        return tf.constant(np.asarray(level, "float32") if self.as_array else level, tf.float32)

    def sample(self, picture, steps):
        for step in range(steps):
            picture = self.denoise(picture, self.level(step, steps))
        return picture


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=4000)
    parser.add_argument(
        "--fixed", action="store_true", help="levels are arrays of NumPy's, not Python's floats"
    )
    args = parser.parse_args()
    keras.utils.set_random_seed(148)
    sampler = Sampler(36, args.fixed)
    sampled = sampler.sample(tf.random.normal((8, 36)), args.steps)
    print(f"sampled {sampled.shape[0]} pictures, {bool(tf.reduce_all(tf.math.is_finite(sampled)))}")


main()
