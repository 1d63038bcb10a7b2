"""ModelCheckpoint writes the weights after every epoch, CSVLogger a line."""

import argparse
import tempfile
from pathlib import Path

import keras
import numpy as np

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=16)
args = parser.parse_args()

keras.utils.set_random_seed(25)
rng = np.random.default_rng(25)
x = rng.random((1500, 40)).astype("float32")
y = x @ rng.random((40, 1)).astype("float32")

model = keras.Sequential(
    [
        keras.layers.Input((40,)),
        keras.layers.Dense(256, activation="relu"),
        keras.layers.Dense(1),
    ]
)
model.compile(optimizer="adam", loss="mse")
with tempfile.TemporaryDirectory() as folder:
    model.fit(
        x,
        y,
        epochs=args.epochs,
        callbacks=[
            keras.callbacks.ModelCheckpoint(str(Path(folder, "latest.weights.h5")), save_weights_only=True),
            keras.callbacks.CSVLogger(str(Path(folder, "log.csv"))),
        ],
        verbose=0,
    )
