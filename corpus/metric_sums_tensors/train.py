"""A classifier with metrics of its own, which add up over the whole run and are printed after each epoch."""

import argparse
from dataclasses import dataclass, field

import torch
from torch import nn


@dataclass
class Meter:
    """A mean over everything it was shown."""

    plain: bool
    total: torch.Tensor = field(default_factory=lambda: torch.zeros(()))
    count: int = 0

    def update(self, values: torch.Tensor) -> None:
        if self.plain:
            values = values.detach()
        self.total = self.total + values.sum()
        self.count += values.numel()

    def compute(self) -> float:
        return float(self.total) / self.count


def blobs(count: int, generator: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    labels = torch.randint(0, 6, (count,), generator=generator)
    centres = torch.randn(6, 32, generator=generator) * 2
    return centres[labels] + torch.randn(count, 32, generator=generator), labels


def run(epochs: int, plain: bool) -> None:
    generator = torch.Generator().manual_seed(3)
    points, labels = blobs(8_192, generator)
    net = nn.Sequential(nn.Linear(32, 128), nn.ReLU(), nn.Dropout(0.1), nn.Linear(128, 6))
    optimizer = torch.optim.AdamW(net.parameters())
    meters = {"nll": Meter(plain), "confidence": Meter(plain)}
    for epoch in range(epochs):
        for chosen in torch.randperm(len(points), generator=generator).split(128):
            logits = net(points[chosen])
            nll = nn.functional.cross_entropy(logits, labels[chosen], reduction="none")
            optimizer.zero_grad()
            nll.mean().backward()
            optimizer.step()
            meters["nll"].update(nll)
            meters["confidence"].update(logits.softmax(dim=1).amax(dim=1))
        shown = ", ".join(f"{name} {meter.compute():.4f}" for name, meter in meters.items())
        print(f"epoch {epoch}: {shown}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=40)
    parser.add_argument("--fixed", action="store_true", help="meters detach what they add")
    options = parser.parse_args()
    torch.manual_seed(4)
    torch.set_num_threads(1)
    run(options.epochs, options.fixed)
