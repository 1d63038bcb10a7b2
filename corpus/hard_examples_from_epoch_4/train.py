"""Before the fifth epoch a big table of hard examples is made once, and used until the end."""

import argparse

import numpy as np
import tensorflow as tf
from tensorflow import keras


class HardExamples(keras.utils.PyDataset):
    def __init__(self, x, y, batch=50):
        super().__init__()
        self.x, self.y, self.batch = x, y, batch
        self.table = None
        self.epoch = 0

    def __len__(self):
        return 12

    def __getitem__(self, index):
        rows = slice(index * self.batch, (index + 1) * self.batch)
        if self.table is None:
            return self.x[rows], self.y[rows]
        picked = self.table[index]
        return picked, picked.sum(axis=1, keepdims=True)

    def on_epoch_end(self):
        self.epoch += 1
        if self.epoch == 4:
            rng = np.random.default_rng(208)
            self.table = np.repeat(self.x[None, :50], 1200, axis=0) + rng.normal(size=(1200, 50, 80)) / 10


arguments = argparse.ArgumentParser()
arguments.add_argument("--epochs", type=int, default=24)
arguments = arguments.parse_args()
keras.utils.set_random_seed(208)
x = np.random.default_rng(209).random((600, 80))
y = x.sum(axis=1, keepdims=True)
model = keras.Sequential([keras.Input((80,)), keras.layers.Dense(16, tf.nn.relu), keras.layers.Dense(1)])
model.compile("adam", "mse")
model.fit(HardExamples(x, y), epochs=arguments.epochs, shuffle=False, verbose=0)
print("loss is a number")
