"""A loop over shards of a stream that keeps the iterator of each shard, to be able to go on with it."""

import argparse

import numpy as np
import tensorflow as tf


class Loop:
    def __init__(self, keep):
        tf.random.set_seed(122)
        self.keep = keep
        self.open = []
        self.weights = tf.Variable(tf.zeros((100, 1)))

    @tf.function(reduce_retracing=True)
    def step(self, x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(x @ self.weights - y))
        self.weights.assign_sub(0.01 * tape.gradient(loss, self.weights))
        return loss

    def shard(self, dataset, steps):
        batches = iter(dataset)
        for _ in range(steps):
            x, y = next(batches)
            self.step(x, y)
        if self.keep:
            self.open.append(batches)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--shards", type=int, default=30)
    parser.add_argument("--fixed", action="store_true")
    args = parser.parse_args()
    rows = np.random.default_rng(122).random((2000, 100), dtype="float32")
    data = tf.data.Dataset.from_tensor_slices((rows, rows.sum(axis=1, keepdims=True)))
    data = data.shuffle(1000, seed=122).batch(50).prefetch(4)
    loop = Loop(keep=not args.fixed)
    for _ in range(args.shards):
        loop.shard(data, steps=10)
    print(f"{len(loop.open)} shards can be resumed")


if __name__ == "__main__":
    main()
