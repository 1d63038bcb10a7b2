"""Bodies that attract each other, in numpy alone; a line after every year of the simulation."""

import argparse

import numpy as np


class Universe:
    def __init__(self, bodies, seed):
        rng = np.random.default_rng(seed)
        self.places = rng.normal(size=(bodies, 3))
        self.speeds = rng.normal(scale=0.1, size=(bodies, 3))
        self.trails = []

    def step(self, dt):
        apart = self.places[None, :, :] - self.places[:, None, :]
        near = (apart**2).sum(axis=2) + 0.01
        self.speeds += dt * (apart / near[:, :, None] ** 1.5).mean(axis=1)
        self.places += dt * self.speeds

    def year(self, steps):
        trail = np.empty((steps, *self.places.shape))
        for step in range(steps):
            self.step(0.01)
            trail[step] = self.places
        return trail


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--years", type=int, default=36)
    parser.add_argument("--fixed", action="store_true", help="keeps the trail of the last year only")
    args = parser.parse_args()

    universe = Universe(bodies=240, seed=201)
    for year in range(1, args.years + 1):
        trail = universe.year(steps=30)
        if args.fixed:
            universe.trails.clear()
        universe.trails.append(trail)
        print(f"year {year}/{args.years}: energy {(universe.speeds**2).sum():.3f}", flush=True)
    print(f"{len(universe.trails)} trails")


main()
