"""Controllers of a cart are evolved: no gradient and no framework, only trials and the best of them."""

import argparse

import numpy as np


def reward(controller, starts):
    """How long the pole stays up, over many starts at once."""
    first, second = controller
    state = starts.copy()
    upright = np.zeros(len(starts))
    alive = np.ones(len(starts), bool)
    for _ in range(40):
        push = np.tanh(np.tanh(state @ first) @ second)[:, 0]
        state[:, 0] += 0.05 * state[:, 1]
        state[:, 1] += 0.05 * push
        state[:, 2] += 0.05 * state[:, 3]
        state[:, 3] += 0.05 * (9.8 * np.sin(state[:, 2]) - push)
        alive &= np.abs(state[:, 2]) < 0.5
        upright += alive
    return upright.mean()


class Search:
    def __init__(self, rng, every):
        self.rng = rng
        self.every = every
        self.candidates = []
        self.best = (-1.0, (rng.normal(size=(4, 96)), rng.normal(size=(96, 1))))

    def trial(self, starts):
        _, (first, second) = self.best
        child = (
            first + self.rng.normal(scale=0.1, size=first.shape),
            second + self.rng.normal(scale=0.1, size=second.shape),
        )
        scored = (reward(child, starts), child)
        if self.every:
            self.candidates.append(scored)
        self.best = max(self.best, scored, key=lambda one: one[0])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--generations", type=int, default=40)
    parser.add_argument("--fixed", action="store_true", help="keeps the best candidate only")
    args = parser.parse_args()

    rng = np.random.default_rng(208)
    search = Search(rng, every=not args.fixed)
    starts = rng.normal(scale=0.1, size=(48, 4))
    for generation in range(1, args.generations + 1):
        for _ in range(50):
            search.trial(starts)
        print(f"generation {generation:3}: best {search.best[0]:.3f}", flush=True)


main()
