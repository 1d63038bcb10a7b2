"""One million rows of 100 float64 held in memory and handed to fit() as an array."""

import argparse

import keras
import numpy as np

ROWS, COLUMNS = 1_000_000, 100

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=12)
args = parser.parse_args()

keras.utils.set_random_seed(4)
rng = np.random.default_rng(4)
x = rng.random((ROWS, COLUMNS))
y = x @ rng.random(COLUMNS)
print(f"x holds {x.nbytes} bytes")

model = keras.Sequential(
    [
        keras.layers.Input((COLUMNS,)),
        keras.layers.Dense(16, activation="relu"),
        keras.layers.Dense(1),
    ]
)
model.compile(optimizer="adam", loss="mse")
model.fit(x, y, batch_size=8192, epochs=args.epochs, verbose=2)
