"""Forecasts a noisy series from windows of it; a function that remembers what it made prepares them."""

import functools
import sys

import numpy as np
import torch
from torch import nn

ROUNDS = 40
PER_ROUND = 60
LENGTH = 1024
REMEMBERED = 64 if "--fixed" in sys.argv else None

rng = np.random.default_rng(80)
series = np.cumsum(rng.normal(size=400_000)).astype("float32") / 50


@functools.lru_cache(maxsize=REMEMBERED)
def window(start: int) -> torch.Tensor:
    piece = torch.from_numpy(series[start : start + LENGTH])
    smooth = nn.functional.avg_pool1d(piece[None], 9, stride=1, padding=4)[0]
    return torch.stack([piece - piece.mean(), smooth - smooth.mean()])


def batches():
    while True:
        starts = rng.integers(0, len(series) - LENGTH - 1, 4)
        yield (
            torch.stack([window(int(start)) for start in starts]),
            torch.tensor([[series[start + LENGTH] - series[start + LENGTH - 1]] for start in starts]),
        )


def main():
    torch.manual_seed(81)
    torch.set_num_threads(1)
    model = nn.Sequential(nn.Conv1d(2, 8, 17, stride=8), nn.ReLU(), nn.Flatten(), nn.LazyLinear(1))
    source = batches()
    model(next(source)[0])
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for number in range(1, ROUNDS + 1):
        error = 0.0
        for _, (x, y) in zip(range(PER_ROUND), source, strict=False):
            loss = nn.functional.huber_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            error += loss.item() / PER_ROUND
        print(f"round {number}: error {error:.5f}", flush=True)


if __name__ == "__main__":
    main()
