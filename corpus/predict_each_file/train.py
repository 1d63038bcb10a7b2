"""A trained model is asked about one file after another with predict(), which has a bad name for that."""

import argparse

import keras
import numpy as np
from keras import layers


def files(count):
    rng = np.random.default_rng(213)
    for number in range(count):
        yield f"sound-{number:04}.wav", rng.normal(size=(40, 64, 1)).astype("float32")


def speech_model():
    return keras.Sequential(
        [
            layers.Input((64, 1)),
            layers.Conv1D(8, 9, strides=2, activation="relu"),
            layers.GlobalMaxPooling1D(),
            layers.Dense(3, activation="softmax"),
        ]
    )


def main():
    cli = argparse.ArgumentParser()
    cli.add_argument("--files", type=int, default=150)
    cli = cli.parse_args()
    keras.utils.set_random_seed(213)
    model = speech_model()
    segments = {}
    for name, frames in files(cli.files):
        segments[name] = int(model.predict(frames, verbose=0).argmax(axis=1).sum())
    print(f"{len(segments)} files")


if __name__ == "__main__":
    main()
