"""Random graphs as linked objects feed a model; the graphs are garbage that waits for the collector."""

import argparse

import keras
import numpy as np


class Vertex:
    def __init__(self, features):
        self.features = features
        self.neighbours = []

    def link(self, other):
        self.neighbours.append(other)
        other.neighbours.append(self)

    def pooled(self):
        return np.mean([self.features, *(vertex.features for vertex in self.neighbours)], axis=0)


def graph(rng, size=12):
    vertices = [Vertex(rng.normal(size=64).astype("float32")) for _ in range(size)]
    for vertex in vertices:
        vertex.link(vertices[rng.integers(size)])
    return vertices


def batches(rng):
    while True:
        graphs = [graph(rng) for _ in range(16)]
        pooled = np.stack([np.sum([vertex.pooled() for vertex in vertices], axis=0) for vertices in graphs])
        yield pooled, pooled.max(axis=1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=40)
    args = parser.parse_args()
    keras.utils.set_random_seed(203)
    model = keras.Sequential([keras.Input((64,)), keras.layers.Dense(20, "gelu"), keras.layers.Dense(1)])
    model.compile("adam", "mse")
    model.fit(batches(np.random.default_rng(203)), steps_per_epoch=12, epochs=args.epochs, verbose=0)
    print(f"{args.epochs} epochs")


main()
