"""Fits the rates of two species to what was counted; starts that are drawn badly diverge and are reported."""

import argparse
import os

os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import numpy as np

HERDS, HOURS, STEP = 16, 600, 0.05


class Diverged(ArithmeticError):
    pass


@jax.jit
def simulate(rates, start):
    def advance(state, _):
        prey, hunters = state[:, 0], state[:, 1]
        change = jnp.stack(
            [prey * (rates[0] - rates[1] * hunters), hunters * (rates[2] * prey - rates[3])], axis=1
        )
        state = state + STEP * change
        return state, state

    return jax.lax.scan(advance, start, None, length=HOURS)[1]


def likeness(rates, start, counted):
    path = simulate(rates, start)
    largest = float(jnp.abs(path).max())
    if not largest < 1e3:
        raise Diverged(f"rates {np.round(rates, 2).tolist()} reach {largest:.1e}")
    return float(jnp.mean((path - counted) ** 2))


def search(args):
    rng = np.random.default_rng(413)
    truth = np.array([1.0, 0.5, 0.4, 0.8], "float32")
    start = jnp.asarray(rng.uniform(0.8, 2.5, (HERDS, 2)), jnp.float32)
    counted = simulate(truth, start)
    best, best_rates, failures = np.inf, truth, []
    for number in range(1, args.rounds + 1):
        for _ in range(args.tries):
            rates = (truth * rng.uniform(0.4, 3.0, 4)).astype("float32")
            try:
                error = likeness(rates, start, counted)
            except Diverged as failure:
                failures.append(failure)
                if args.fixed:
                    del failures[:-20]
                continue
            if error < best:
                best, best_rates = error, rates
        print(f"round {number}: best {best:.4f}", flush=True)
    print(f"{np.round(best_rates, 2).tolist()}; last that diverged: {failures[-1]}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--tries", type=int, default=200)
    parser.add_argument("--fixed", action="store_true", help="reports the last failures only")
    search(parser.parse_args())
