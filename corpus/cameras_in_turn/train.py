"""Each epoch trains on what another camera saw; each has a thread that cuts its pictures, and keeps none."""

import argparse
from concurrent.futures import ThreadPoolExecutor

import keras
import numpy as np


class Cameras(keras.callbacks.Callback):
    def __init__(self, cameras, tiles):
        super().__init__()
        self.threads = [ThreadPoolExecutor(1) for _ in range(cameras)]
        self.tiles = tiles
        self.brightness = np.zeros(cameras)

    def look(self, seed):
        rng = np.random.default_rng(seed)
        tiles = [rng.random(rng.integers(1000, 9000)) for _ in range(self.tiles)]
        return sum(tile.mean() for tile in tiles) / len(tiles)

    def on_epoch_begin(self, epoch, logs=None):
        camera = epoch % len(self.threads)
        self.brightness[camera] = self.threads[camera].submit(self.look, epoch).result()


parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=36)
parser.add_argument("--cameras", type=int, default=12)
parser.add_argument("--tiles", type=int, default=500)
args = parser.parse_args()
keras.utils.set_random_seed(61)
rng = np.random.default_rng(61)
x = rng.random((500, 16))
model = keras.Sequential([keras.Input((16,)), keras.layers.Dense(8), keras.layers.Dense(1)])
model.compile("sgd", "mse")
cameras = Cameras(args.cameras, args.tiles)
model.fit(x, x.sum(axis=1), epochs=args.epochs, verbose=0, callbacks=[cameras])
print("all cameras looked:", bool((cameras.brightness > 0.4).all()))
