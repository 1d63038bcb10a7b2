"""Magnets on a grid that cool down; what is printed waits in Python's buffer when stdout is a pipe."""

import argparse

import numpy as np

SNAPSHOTS = {}


def neighbours(spins):
    return sum(np.roll(spins, shift, axis) for shift in (-1, 1) for axis in (0, 1))


def sweep(spins, colour, heat, rng):
    """Half of the grid at once: fields of one colour do not touch."""
    odds = 1 / (1 + np.exp(-2 * neighbours(spins) / heat))
    chosen = np.where(rng.random(spins.shape) < odds, 1, -1)
    return np.where(colour, chosen, spins).astype(np.int8)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--temperatures", type=int, default=60)
    parser.add_argument("--fixed", action="store_true", help="keeps how much is aligned, not the grids")
    args = parser.parse_args()

    rng = np.random.default_rng(202)
    spins = rng.choice(np.array([-1, 1], np.int8), (400, 400))
    rows, columns = np.indices(spins.shape)
    black = (rows + columns) % 2 == 0
    for heat in np.linspace(3.5, 1.5, args.temperatures):
        for _ in range(20):
            spins = sweep(spins, black, heat, rng)
            spins = sweep(spins, ~black, heat, rng)
        aligned = float(abs(spins.mean(dtype=float)))
        SNAPSHOTS[round(heat, 4)] = aligned if args.fixed else spins
        print(f"T = {heat:.3f}   |m| = {aligned:.4f}")


main()
