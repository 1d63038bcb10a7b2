"""Looks for the periods of stars in their light; each trial period has a table of waves at all times."""

import argparse
import os

os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import numpy as np

NIGHTS, HARMONICS = 1500, 4
TIMES = jnp.sort(jax.random.uniform(jax.random.key(414), (NIGHTS,), maxval=400.0))


@jax.jit
def waves(period):
    phases = 2 * jnp.pi * TIMES[:, None] / period * jnp.arange(1, HARMONICS + 1)
    return jnp.concatenate([jnp.ones((NIGHTS, 1)), jnp.sin(phases), jnp.cos(phases)], axis=1)


@jax.jit
def residual(table, light):
    gram = table.T @ table + 1e-3 * jnp.eye(table.shape[1])
    amplitudes = jnp.linalg.solve(gram, table.T @ light)
    return jnp.mean((light - table @ amplitudes) ** 2)


class Tables(dict):
    """Computes the waves of a period that is not there yet."""

    def __init__(self, places):
        super().__init__()
        self.places = places

    def __missing__(self, period):
        if len(self) == self.places:
            del self[next(iter(self))]
        self[period] = table = waves(period)
        return table


def refine(tables, light, period, width=0.2, trials=36):
    """Narrows the bracket around a period from step to step."""
    for _ in range(5):
        candidates = np.linspace(period * (1 - width), period * (1 + width), trials)
        errors = [float(residual(tables[float(candidate)], light)) for candidate in candidates]
        period, width = float(candidates[int(np.argmin(errors))]), width / 4
    return period, min(errors)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--stars", type=int, default=40)
    parser.add_argument("--fixed", action="store_true", help="remembers 50 tables")
    args = parser.parse_args()
    tables = Tables(places=50 if args.fixed else None)
    rng = np.random.default_rng(415)
    for star in range(1, args.stars + 1):
        true = rng.uniform(2.0, 30.0)
        light = np.sin(2 * np.pi * np.asarray(TIMES) / true) ** 3 + rng.normal(0, 0.3, NIGHTS)
        guess = true * rng.uniform(0.95, 1.05)
        period, error = refine(tables, light.astype("float32"), guess)
        print(f"star {star}: {period:.4f} days, true {true:.4f}, rest {error:.4f}", flush=True)


if __name__ == "__main__":
    main()
