"""Batches are made by worker threads that run ahead into a queue of forty; the slow part is the training."""

import argparse
import threading

import keras
import numpy as np


class Rendered(keras.utils.PyDataset):
    def __init__(self, count, size, **kwargs):
        super().__init__(**kwargs)
        self.count, self.size = count, size
        self.lock = threading.Lock()
        self.made = {}

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        rng = np.random.default_rng(index)
        scenes = rng.random((16, self.size, self.size, 1), dtype="float32")
        with self.lock:
            self.made[index] = self.made.get(index, 0) + 1
        return scenes, scenes.mean(axis=(1, 2))


def main():
    cli = argparse.ArgumentParser()
    cli.add_argument("--epochs", type=int, default=16)
    cli = cli.parse_args()
    keras.utils.set_random_seed(217)
    scenes = Rendered(60, 40, workers=3, use_multiprocessing=False, max_queue_size=40)
    model = keras.Sequential(
        [
            keras.Input((40, 40, 1)),
            keras.layers.Conv2D(6, 5, strides=2, activation="relu"),
            keras.layers.Flatten(),
            keras.layers.Dense(1),
        ]
    )
    model.compile("adam", "mse")
    model.fit(scenes, epochs=cli.epochs, verbose=0)
    print(f"{len(scenes.made)} batches, each made again and again")


if __name__ == "__main__":
    main()
