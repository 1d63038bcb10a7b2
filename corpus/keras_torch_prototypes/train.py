"""Learns to tell instruments apart by prototypes, running means of their codes. Keras on PyTorch."""

import argparse
import os

os.environ["KERAS_BACKEND"] = "torch"

import keras
import numpy as np
import torch

INSTRUMENTS, WINDOW = 8, 512


def encoder():
    model = keras.Sequential([keras.Input((WINDOW, 1))])
    model.add(keras.layers.Conv1D(8, 15, strides=4, activation="relu"))
    model.add(keras.layers.Conv1D(16, 9, strides=4, activation="relu"))
    model.add(keras.layers.GlobalAveragePooling1D())
    model.add(keras.layers.Dense(16))
    return model


class Prototypes:
    """The running mean of each instrument's codes."""

    def __init__(self, detached, pace=0.1):
        self.detached = detached
        self.pace = pace
        self.means = {}

    def update(self, instrument, codes):
        mean = codes.mean(dim=0)
        if self.detached:
            mean = mean.detach()
        old = self.means.get(instrument, mean)
        self.means[instrument] = (1 - self.pace) * old + self.pace * mean

    def distances(self, codes):
        means = torch.stack([mean.detach() for _, mean in sorted(self.means.items())])
        return torch.cdist(codes, means)


def recorded(rng, instrument, count):
    at = np.arange(WINDOW) / WINDOW
    pitch = rng.uniform(10, 20, (count, 1))
    overtones = sum(np.sin(2 * np.pi * pitch * k * at) / k ** (0.3 * instrument + 0.2) for k in range(1, 5))
    sounds = overtones + rng.normal(0, 0.2, (count, WINDOW))
    return torch.from_numpy(sounds.astype("float32"))[..., None]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=32)
    parser.add_argument("--steps", type=int, default=12, help="steps between two calibrations")
    parser.add_argument(
        "--fixed", action="store_true", help="prototypes are detached from how they came about"
    )
    args = parser.parse_args()

    keras.utils.set_random_seed(422)
    torch.set_num_threads(1)
    rng = np.random.default_rng(422)
    model = encoder()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    prototypes = Prototypes(args.fixed)
    for number in range(1, args.rounds + 1):
        for instrument in range(INSTRUMENTS):
            prototypes.update(instrument, model(recorded(rng, instrument, 20)))
        for _ in range(args.steps):
            labels = torch.arange(INSTRUMENTS).repeat_interleave(6)
            sounds = torch.cat([recorded(rng, instrument, 6) for instrument in range(INSTRUMENTS)])
            loss = torch.nn.functional.cross_entropy(-prototypes.distances(model(sounds)), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"round {number}: loss {loss.item():.4f}", flush=True)


if __name__ == "__main__":
    main()
