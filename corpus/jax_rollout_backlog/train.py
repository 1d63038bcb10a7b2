"""Four actors steer carts on threads of their own; a learner improves their common controller."""

import argparse
import os
import queue
import threading

os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import numpy as np

CARTS, STEPS, ACTORS = 64, 40, 4


@jax.jit
def drive(weights, key):
    """A fragment: what was seen, what was done, what it cost."""

    def advance(carry, key):
        place, speed = carry
        seen = jnp.stack([place, speed, place**2, speed**2, jnp.ones(CARTS)], axis=1)
        push = jnp.tanh(seen @ weights) + 0.3 * jax.random.normal(key, (CARTS,))
        speed = 0.95 * speed + 0.1 * push
        return (place + 0.1 * speed, speed), (seen, push, place**2 + 0.1 * push**2)

    begin, *keys = jax.random.split(key, STEPS + 1)
    start = jax.random.normal(begin, (2, CARTS))
    _, (seen, push, cost) = jax.lax.scan(advance, (start[0], start[1]), jnp.stack(keys))
    return {"seen": seen, "push": push, "cost": cost}


@jax.jit
def improve(weights, seen, push, cost):
    ahead = jnp.cumsum(cost[::-1], axis=0)[::-1]
    advantage = (ahead.mean(axis=1, keepdims=True) - ahead) / (ahead.std() + 1e-6)

    def loss(weights):
        return jnp.mean(advantage * (push - jnp.tanh(seen @ weights)) ** 2)

    return weights - 0.05 * jnp.clip(jax.grad(loss)(weights), -1, 1), cost.mean()


class Actor(threading.Thread):
    def __init__(self, number, fragments):
        super().__init__(daemon=True)
        self.key = jax.random.key(number)
        self.orders = queue.Queue()
        self.fragments = fragments

    def run(self):
        while (weights := self.orders.get()) is not None:
            self.key, key = jax.random.split(self.key)
            self.fragments.put(drive(weights, key))


def learn(updates, per_update):
    fragments = queue.Queue()
    actors = [Actor(number, fragments) for number in range(ACTORS)]
    for actor in actors:
        actor.start()
    weights = jnp.zeros(5)
    costs = []
    for update in range(1, updates + 1):
        for actor in actors:
            actor.orders.put(weights)
        parts = [fragments.get() for _ in range(per_update)]
        together = {name: jnp.concatenate([part[name] for part in parts], axis=1) for name in parts[0]}
        weights, cost = improve(weights, **together)
        costs.append(float(cost))
        if update % 25 == 0:
            print(f"update {update}: cost {np.mean(costs):.4f}", flush=True)
            costs.clear()
    for actor in actors:
        actor.orders.put(None)
    for actor in actors:
        actor.join()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--updates", type=int, default=800)
    parser.add_argument("--fixed", action="store_true", help="learns from as many fragments as are delivered")
    args = parser.parse_args()
    learn(args.updates, ACTORS if args.fixed else 3)
