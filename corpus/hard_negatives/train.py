"""Triplets from a PyDataset that mines hard negatives after each epoch and adds them to its pool."""

import argparse

import keras
import numpy as np
from keras import layers, ops


class Triplets(keras.utils.PyDataset):
    def __init__(self, anchors, batch, room=None):
        super().__init__()
        self.anchors, self.batch, self.room = anchors, batch, room
        self.rng = np.random.default_rng(125)
        self.negatives = [self.mine()]

    def mine(self):
        return self.rng.normal(size=self.anchors.shape).astype("float32")

    def __len__(self):
        return len(self.anchors) // self.batch

    def __getitem__(self, index):
        rows = slice(index * self.batch, (index + 1) * self.batch)
        near = self.anchors[rows]
        far = self.negatives[self.rng.integers(len(self.negatives))][rows]
        return np.concatenate([near, near + np.float32(0.01), far], axis=1), np.zeros((self.batch, 1))

    def on_epoch_end(self):
        self.negatives.append(self.mine())
        if self.room:
            self.negatives = self.negatives[-self.room :]


def siamese(width):
    inputs = keras.Input((3 * width,))
    embed = keras.Sequential([layers.Dense(16, activation="relu"), layers.Dense(8)])
    near, other, far = (embed(part) for part in ops.split(inputs, 3, axis=-1))
    margin = ops.sum((near - other) ** 2, -1) - ops.sum((near - far) ** 2, -1) + 1.0
    return keras.Model(inputs, ops.relu(margin)[:, None])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--fixed", action="store_true", help="a pool of four")
    parser.add_argument("--epochs", type=int, default=16)
    arguments = parser.parse_args()
    keras.utils.set_random_seed(125)
    anchors = np.random.default_rng(126).normal(size=(2048, 50)).astype("float32")
    triplets = Triplets(anchors, 128, room=4 if arguments.fixed else None)
    model = siamese(50)
    model.compile("adam", "mae")
    model.fit(triplets, epochs=arguments.epochs, shuffle=False, verbose=0)
    print("pool:", len(triplets.negatives) >= 4)
