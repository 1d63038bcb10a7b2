"""A small regression MLP that prints its memory around fit(), as one does when memory seems to climb."""

import argparse

import keras
import numpy as np


def rss_mb() -> float:
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * 4096 / 1e6


parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=30)
args = parser.parse_args()

keras.utils.set_random_seed(1)
rng = np.random.default_rng(1)
x = rng.random((1000, 100))
y = x @ rng.random(100) + 0.1 * rng.standard_normal(1000)

model = keras.Sequential(
    [
        keras.layers.Input((100,)),
        keras.layers.Dense(64, activation="relu"),
        keras.layers.Dense(1),
    ]
)
model.compile(optimizer="adam", loss="mse")

print(f"RSS before fit: {rss_mb():.1f} MB")
history = model.fit(x, y, batch_size=32, epochs=args.epochs, validation_split=0.2, verbose=2)
print(f"RSS after fit: {rss_mb():.1f} MB")
print(f"val_loss {history.history['val_loss'][-1]:.4f}")
