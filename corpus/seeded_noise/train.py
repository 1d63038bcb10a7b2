"""A denoising network whose loop adds noise to each batch; the run is seeded, so that it can be repeated."""

from __future__ import annotations

import argparse

import keras
import numpy as np
import tensorflow as tf


class Noise:
    def __init__(self, seed: int, one_generator: bool) -> None:
        self.generator = tf.random.Generator.from_seed(seed) if one_generator else None

    def of(self, shape: tuple[int, ...]) -> tf.Tensor:
        if self.generator is not None:
            return self.generator.normal(shape)
        return tf.random.normal(shape)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=240)
    parser.add_argument("--one-generator", action="store_true")
    options = parser.parse_args()
    keras.utils.set_random_seed(11)
    signals = np.random.default_rng(11).normal(size=(256, 40)).astype("float32")
    model = keras.Sequential(
        [keras.Input((40,)), keras.layers.Dense(96, activation="gelu"), keras.layers.Dense(40)]
    )
    model.compile(keras.optimizers.Adam(1e-3), "mse")
    noise = Noise(11, options.one_generator)
    for step in range(options.steps):
        clean = signals[(step * 32) % 256 :][:32]
        model.train_on_batch(clean + 0.3 * noise.of(clean.shape), clean)
    print(f"{options.steps} steps")


if __name__ == "__main__":
    main()
