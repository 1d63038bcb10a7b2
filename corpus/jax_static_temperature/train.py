"""Samples from a spin glass by annealing; the temperature is an argument of the compiled sweep."""

import argparse
import functools
import os

os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp

SPINS = 48


def sweep(couplings, spins, key, temperature):
    def flip(i, state):
        spins, key = state
        key, draw = jax.random.split(key)
        change = 2 * spins[i] * (couplings[i] @ spins)
        accept = jax.random.uniform(draw) < jnp.exp(-change / temperature)
        return spins.at[i].multiply(jnp.where(accept, -1, 1)), key

    return jax.lax.fori_loop(0, SPINS, flip, (spins, key))


def energy(couplings, spins):
    return -0.5 * float(spins @ couplings @ spins)


def anneal(compiled, stages, sweeps):
    key, draw, start = jax.random.split(jax.random.key(150), 3)
    couplings = jax.random.normal(draw, (SPINS, SPINS))
    couplings = (couplings + couplings.T) / 2 * (1 - jnp.eye(SPINS))
    spins = jax.random.rademacher(start, (SPINS,), dtype=jnp.float32)
    for stage in range(stages):
        temperature = 4.0 * (1 - stage / stages) + 0.05
        for _ in range(sweeps):
            spins, key = compiled(couplings, spins, key, temperature)
        print(f"T = {temperature:.3f}: E = {energy(couplings, spins):.3f}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--stages", type=int, default=40)
    parser.add_argument("--sweeps", type=int, default=200)
    parser.add_argument("--fixed", action="store_true", help="the temperature is traced, not static")
    args = parser.parse_args()
    static = () if args.fixed else ("temperature",)
    compiled = functools.partial(jax.jit, static_argnames=static)(sweep)
    anneal(lambda c, s, k, t: compiled(c, s, k, temperature=t), args.stages, args.sweeps)
