"""Follows visitors through a museum by particle filters; each sighting of a badge moves one of them."""

import argparse
import os
from dataclasses import dataclass, field

os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import numpy as np

PARTICLES = 1200


@jax.jit
def advance(key, particles, seen):
    key, walk, draw = jax.random.split(key, 3)
    place = particles[:, :2] + particles[:, 2:]
    speed = 0.9 * particles[:, 2:] + 0.1 * jax.random.normal(walk, place.shape)
    weight = jnp.exp(-jnp.sum((place - seen) ** 2, axis=1)) + 1e-12
    chosen = jax.random.choice(draw, PARTICLES, (PARTICLES,), p=weight / weight.sum())
    moved = jnp.concatenate([place, speed], axis=1)[chosen]
    return key, moved, moved[:, :2].mean(axis=0)


@dataclass
class Track:
    key: jax.Array
    particles: jax.Array
    path: list = field(default_factory=list)

    def see(self, place):
        self.key, self.particles, guess = advance(self.key, self.particles, place)
        self.path.append((float(guess[0]), float(guess[1])))


class Museum:
    def __init__(self, forgets_who_left):
        self.forgets_who_left = forgets_who_left
        self.tracks = {}
        self.walked = 0.0

    def enter(self, badge):
        key = jax.random.key(badge)
        self.tracks[badge] = Track(key, jax.random.normal(key, (PARTICLES, 4)))

    def sighting(self, badge, place):
        self.tracks[badge].see(place)

    def leave(self, badge):
        path = np.array(self.tracks[badge].path)
        self.walked += float(np.linalg.norm(np.diff(path, axis=0), axis=1).sum())
        if self.forgets_who_left:
            del self.tracks[badge]


def events(visitors, rng, at_once=6, sightings=15):
    """Everybody who comes is seen a number of times and leaves; then the next one comes."""
    inside = {}
    badges = iter(range(visitors))
    while True:
        while len(inside) < at_once and (badge := next(badges, None)) is not None:
            inside[badge] = [0, np.zeros(2, np.float32)]
            yield "enter", badge, None
        if not inside:
            return
        badge = int(rng.choice(list(inside)))
        inside[badge][0] += 1
        inside[badge][1] = inside[badge][1] + rng.normal(size=2).astype("float32")
        yield "seen", badge, inside[badge][1]
        if inside[badge][0] == sightings:
            del inside[badge]
            yield "leave", badge, None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--visitors", type=int, default=560)
    parser.add_argument("--fixed", action="store_true", help="forgets visitors who have left")
    args = parser.parse_args()
    museum = Museum(args.fixed)
    left = 0
    for kind, badge, place in events(args.visitors, np.random.default_rng(304)):
        if kind == "enter":
            museum.enter(badge)
        elif kind == "seen":
            museum.sighting(badge, place)
        else:
            museum.leave(badge)
            left += 1
            if left % 20 == 0:
                print(f"{left} visitors walked {museum.walked / left:.1f} m on average", flush=True)


main()
