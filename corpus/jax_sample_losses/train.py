"""A small classifier in plain JAX; the losses of single samples are kept, to see which ones stay hard."""

import argparse
import os

os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import numpy as np

SAMPLES, BATCH, FEATURES, CLASSES = 100_000, 500, 40, 10


def start(key, hidden=128):
    first, second = jax.random.split(key)
    return {
        "w1": jax.random.normal(first, (FEATURES, hidden)) / FEATURES**0.5,
        "b1": jnp.zeros(hidden),
        "w2": jax.random.normal(second, (hidden, CLASSES)) / hidden**0.5,
        "b2": jnp.zeros(CLASSES),
    }


def cross_entropies(params, x, y):
    hidden = jax.nn.relu(x @ params["w1"] + params["b1"])
    logits = jax.nn.log_softmax(hidden @ params["w2"] + params["b2"])
    return -jnp.take_along_axis(logits, y[:, None], axis=1)[:, 0]


@jax.jit
def step(params, x, y):
    def mean_and_all(params):
        losses = cross_entropies(params, x, y)
        return losses.mean(), losses

    slopes, losses = jax.grad(mean_and_all, has_aux=True)(params)
    return jax.tree.map(lambda weight, slope: weight - 0.1 * slope, params, slopes), losses


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=28)
    parser.add_argument("--fixed", action="store_true", help="forgets the losses after each epoch")
    args = parser.parse_args()

    rng = np.random.default_rng(301)
    x = rng.normal(size=(SAMPLES, FEATURES)).astype("float32")
    y = np.argmax(x @ rng.normal(size=(FEATURES, CLASSES)), axis=1)
    params = start(jax.random.key(301))
    per_sample = []
    for epoch in range(1, args.epochs + 1):
        steps = np.split(rng.permutation(SAMPLES), SAMPLES // BATCH)
        for chosen in steps:
            params, losses = step(params, x[chosen], y[chosen])
            per_sample.append(losses)
        recent = jnp.concatenate(per_sample[-len(steps) :])
        hard = float((recent > 2.0).mean())
        print(f"epoch {epoch}: loss {float(recent.mean()):.4f}, hard {hard:.2%}", flush=True)
        if args.fixed:
            per_sample.clear()


main()
