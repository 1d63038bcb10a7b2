"""A variational autoencoder; the weight of its KL term rises a little with every step."""

import argparse

import keras
import numpy as np
import tensorflow as tf
from keras import layers, ops


class Vae(keras.Model):
    def __init__(self, width, latent):
        super().__init__()
        self.encoder = keras.Sequential([layers.Dense(32, "relu"), layers.Dense(2 * latent)])
        self.decoder = keras.Sequential([layers.Dense(32, "relu"), layers.Dense(width)])

    def call(self, x):
        mean, spread = ops.split(self.encoder(x), 2, axis=-1)
        drawn = mean + ops.exp(0.5 * spread) * keras.random.normal(ops.shape(mean))
        return self.decoder(drawn), mean, spread


@tf.function
def evidence(model, x, kl_weight):
    redrawn, mean, spread = model(x)
    fit = ops.mean(ops.square(redrawn - x))
    kl = -0.5 * ops.mean(1 + spread - ops.square(mean) - ops.exp(spread))
    return fit + kl_weight * kl


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--fixed", action="store_true", help="the weight is a tensor")
    args = parser.parse_args()
    keras.utils.set_random_seed(115)
    x = tf.constant(np.random.default_rng(115).random((64, 20)), tf.float32)
    model = Vae(20, 4)
    model(x)
    bounds = []
    for step in range(args.steps):
        weight = step / args.steps
        bounds.append(float(evidence(model, x, tf.constant(np.float32(weight)) if args.fixed else weight)))
    print(f"{len(bounds)} bounds")


if __name__ == "__main__":
    main()
