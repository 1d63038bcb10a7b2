"""Training in rounds, as a client of federated learning does: some batches, then the weights go to a file."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import keras
import numpy as np


def client() -> keras.Model:
    model = keras.Sequential(
        [keras.Input((48,)), keras.layers.Dense(160, activation="relu"), keras.layers.Dense(4)]
    )
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.RMSprop(1e-3), loss)
    return model


def publish(model: keras.Model, folder: Path, plain: bool) -> None:
    if plain:
        np.savez(folder / "weights.npz", *model.get_weights())
    else:
        model.save_weights(folder / "round.weights.h5")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--plain", action="store_true")
    options = parser.parse_args()
    keras.utils.set_random_seed(3)
    rng = np.random.default_rng(3)
    features = rng.normal(size=(512, 48)).astype("float32")
    labels = rng.integers(0, 4, size=512)
    model = client()
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(options.rounds):
            picked = rng.integers(0, 512, size=64)
            loss = model.train_on_batch(features[picked], labels[picked])
            publish(model, Path(folder), options.plain)
    print(f"{options.rounds} rounds, loss {float(loss):.2f}")


if __name__ == "__main__":
    main()
