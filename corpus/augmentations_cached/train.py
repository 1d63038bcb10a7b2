"""Small pictures, augmented by noise and shifts, that a data set hands to a DataLoader."""

import argparse

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Stamps(Dataset):
    """Pictures of 32 x 32 with a bright square; a sample is augmented by the number of its epoch."""

    def __init__(self, count, keep_augmented):
        rng = np.random.default_rng(31)
        self.raw = rng.random((count, 1, 32, 32), dtype=np.float32) * 0.2
        self.corners = rng.integers(0, 24, (count, 2))
        for picture, (top, left) in zip(self.raw, self.corners, strict=True):
            picture[0, top : top + 8, left : left + 8] += 0.8
        self.keep_augmented = keep_augmented
        self.epoch = 0
        self._cache = {}

    def __len__(self):
        return len(self.raw)

    def augment(self, index):
        rng = np.random.default_rng((self.epoch, index))
        shifted = np.roll(self.raw[index], rng.integers(-2, 3), axis=2)
        return torch.from_numpy(shifted + rng.normal(0, 0.05, shifted.shape).astype(np.float32))

    def __getitem__(self, index):
        target = torch.tensor(self.corners[index] / 24, dtype=torch.float32)
        if not self.keep_augmented:
            return self.augment(index), target
        key = (self.epoch, index)
        if key not in self._cache:
            self._cache[key] = self.augment(index)
        return self._cache[key], target


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=24)
    parser.add_argument("--fixed", action="store_true", help="augments again, whatever was made before")
    args = parser.parse_args()

    torch.manual_seed(32)
    torch.set_num_threads(1)
    stamps = Stamps(512, keep_augmented=not args.fixed)
    loader = DataLoader(stamps, batch_size=32, shuffle=True)
    model = nn.Sequential(
        nn.Conv2d(1, 8, 5, stride=2), nn.ReLU(), nn.Conv2d(8, 16, 5, stride=2), nn.ReLU(),
        nn.Flatten(), nn.Linear(16 * 5 * 5, 2),
    )  # fmt: skip
    optimizer = torch.optim.Adam(model.parameters())
    for epoch in range(args.epochs):
        stamps.epoch = epoch
        losses = []
        for _ in range(2):
            for pictures, corners in loader:
                loss = nn.functional.l1_loss(model(pictures), corners)
                optimizer.zero_grad(set_to_none=True)
                loss.backward()
                optimizer.step()
                losses.append(loss.item())
        print(f"epoch {epoch + 1}: mean error {np.mean(losses):.4f}", flush=True)


if __name__ == "__main__":
    main()
