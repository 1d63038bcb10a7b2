"""Sentences of ever other lengths go through one jitted step of JAX, which is compiled for every length."""

import argparse
import os

os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import numpy as np


def loss(weights, sentence):
    first, second = weights
    return ((jnp.tanh(sentence @ first) @ second) ** 2).mean()


@jax.jit
def step(weights, sentence):
    value, slopes = jax.value_and_grad(loss)(weights, sentence)
    return value, [weight - 0.01 * slope for weight, slope in zip(weights, slopes, strict=True)]


def padded(sentence, length):
    return np.pad(sentence, [(0, length - len(sentence)), (0, 0)])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--steps", type=int, default=20, help="steps of a round")
    parser.add_argument("--fixed", action="store_true", help="pads all sentences to one length")
    args = parser.parse_args()

    rng = np.random.default_rng(207)
    weights = [jnp.asarray(rng.normal(size=(64, 64), scale=0.1), jnp.float32) for _ in range(2)]
    for number in range(1, args.rounds + 1):
        sentence = rng.normal(size=(20 + number, 64)).astype("float32")
        if args.fixed:
            sentence = padded(sentence, 20 + args.rounds)
        for _ in range(args.steps):
            value, weights = step(weights, sentence)
        print(f"{number}/{args.rounds} length {len(sentence)}: {float(value):.6f}", flush=True)


main()
