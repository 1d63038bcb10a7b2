"""Scores a stream of sensor readings with a recurrent network whose state goes on from reading to reading."""

import argparse
import itertools

import torch
from torch import nn


class Watcher(nn.Module):
    """Says how surprising the next reading is."""

    def __init__(self, sensors: int, width: int) -> None:
        super().__init__()
        self.cell = nn.GRUCell(sensors, width)
        self.guess = nn.Linear(width, sensors)
        self.state: torch.Tensor | None = None

    def forward(self, reading: torch.Tensor) -> torch.Tensor:
        self.state = self.cell(reading, self.state)
        return self.guess(self.state)

    def forget(self) -> None:
        self.state = None


def readings(sensors: int):
    generator = torch.Generator().manual_seed(8)
    level = torch.zeros(4, sensors)
    while True:
        level = 0.9 * level + torch.randn(4, sensors, generator=generator)
        yield level


def warm_up(watcher: Watcher, stream, steps: int) -> None:
    optimizer = torch.optim.Adam(watcher.parameters(), lr=3e-3)
    for _ in range(steps):
        watcher.forget()
        optimizer.zero_grad()
        window = list(itertools.islice(stream, 9))
        loss = sum(nn.functional.mse_loss(watcher(now), then) for now, then in itertools.pairwise(window))
        loss.backward()
        optimizer.step()
    watcher.forget()


def score(watcher: Watcher, stream, hours: int, per_hour: int) -> None:
    expected = None
    for hour in range(hours):
        surprise = 0.0
        for reading in itertools.islice(stream, per_hour):
            if expected is not None:
                surprise += (expected - reading).square().mean().item()
            expected = watcher(reading)
        print(f"hour {hour:02d}: surprise {surprise / per_hour:.4f}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hours", type=int, default=40)
    parser.add_argument("--per-hour", type=int, default=600)
    parser.add_argument("--fixed", action="store_true", help="scores without gradients")
    args = parser.parse_args()
    torch.manual_seed(8)
    torch.set_num_threads(1)
    watcher = Watcher(16, 48)
    stream = readings(16)
    warm_up(watcher, stream, 60)
    watcher.eval()
    with torch.set_grad_enabled(not args.fixed):
        score(watcher, stream, args.hours, args.per_hour)
