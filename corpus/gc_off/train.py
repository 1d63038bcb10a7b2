"""Somebody switched the collector off for speed; trees of games point to their parents."""

import gc
import sys

import keras
import numpy as np

fixed = "--fixed" in sys.argv
if not fixed:
    gc.disable()


class Node:
    def __init__(self, board, parent=None):
        self.board = board
        self.parent = parent
        self.children = []

    def expand(self, rng):
        for _ in range(3):
            child = Node(self.board + rng.integers(-1, 2, self.board.shape), self)
            self.children.append(child)


def games(rng):
    while True:
        roots = [Node(rng.integers(-1, 2, (9, 9)).astype("float64")) for _ in range(8)]
        for root in roots:
            root.expand(rng)
            for child in root.children:
                child.expand(rng)
        boards = np.stack(
            [leaf.board for root in roots for child in root.children for leaf in child.children]
        )
        yield boards[..., None], np.sign(boards.sum(axis=(1, 2)))


keras.utils.set_random_seed(136)
model = keras.Sequential(
    [
        keras.Input((9, 9, 1)),
        keras.layers.Conv2D(8, 3, activation="relu"),
        keras.layers.Flatten(),
        keras.layers.Dense(1, activation="tanh"),
    ]
)
model.compile("adam", "mse")
model.fit(games(np.random.default_rng(136)), epochs=30, steps_per_epoch=10, verbose=0)
print("30 epochs of games")
