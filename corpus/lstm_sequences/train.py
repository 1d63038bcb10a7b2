"""An LSTM on sequences, with a dictionary of words in front."""

import argparse

import keras
import numpy as np

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=16)
args = parser.parse_args()

keras.utils.set_random_seed(21)
rng = np.random.default_rng(21)
words = rng.integers(0, 1000, (512, 20))
labels = (words.mean(axis=1) > 500).astype("float32")

model = keras.Sequential(
    [
        keras.layers.Input((20,)),
        keras.layers.Embedding(1000, 32),
        keras.layers.LSTM(32),
        keras.layers.Dense(1, activation="sigmoid"),
    ]
)
model.compile(optimizer="adam", loss="binary_crossentropy", metrics=["accuracy"])
model.fit(words, labels, batch_size=32, epochs=args.epochs, verbose=0)
