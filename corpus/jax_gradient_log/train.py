"""Trains an autoencoder of spectra and writes down gradients from within the compiled step."""

import argparse
import os

os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import numpy as np

gradients = []
moments = {"count": 0, "mean": 0.0, "square": 0.0}


def write_down(gradient):
    gradients.append(np.asarray(gradient))


def add_up(gradient):
    gradient = np.asarray(gradient)
    moments["count"] += 1
    moments["mean"] += (gradient - moments["mean"]) / moments["count"]
    moments["square"] += (gradient**2 - moments["square"]) / moments["count"]


def noise(one_by_one):
    if one_by_one:
        return moments["square"].sum() / (moments["mean"] ** 2).sum() - 1
    recent = np.stack(gradients[-40:])
    return recent.var(axis=0).sum() / (recent.mean(axis=0) ** 2).sum()


def make_step(log):
    def loss(params, spectra):
        code = jax.nn.relu(spectra @ params["encode"])
        return jnp.mean((code @ params["decode"] - spectra) ** 2)

    @jax.jit
    def step(params, spectra, number):
        value, slopes = jax.value_and_grad(loss)(params, spectra)
        jax.lax.cond(
            number % 10 == 0,
            lambda: jax.debug.callback(log, slopes["encode"]),
            lambda: None,
        )
        return jax.tree.map(lambda weight, slope: weight - 0.5 * slope, params, slopes), value

    return step


def spectra_of(rng, count, lines=5, width=160):
    places = rng.uniform(0, width, (count, lines, 1))
    heights = rng.uniform(0.2, 1.0, (count, lines, 1))
    return (heights * np.exp(-((np.arange(width) - places) ** 2) / 8)).sum(axis=1).astype("float32")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=28)
    parser.add_argument("--fixed", action="store_true", help="adds the gradients up instead")
    args = parser.parse_args()
    rng = np.random.default_rng(306)
    pool = spectra_of(rng, 6000)
    params = {
        "encode": jnp.asarray(rng.normal(size=(160, 48)) / 13, jnp.float32),
        "decode": jnp.asarray(rng.normal(size=(48, 160)) / 7, jnp.float32),
    }
    step = make_step(add_up if args.fixed else write_down)
    number = 0
    for round_number in range(args.rounds):
        for _ in range(200):
            number += 1
            params, value = step(params, pool[rng.integers(0, len(pool), 128)], number)
        jax.effects_barrier()
        print(f"round {round_number}: {float(value):.5f}, noise {noise(args.fixed):.2f}", flush=True)
