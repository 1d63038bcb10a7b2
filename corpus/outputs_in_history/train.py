"""Trains a small regressor; beside the losses, the history has what the network said to a probe batch."""

import argparse

import torch
from torch import nn
from torch.nn import functional as F


class Regressor(nn.Module):
    def __init__(self, inputs: int, width: int) -> None:
        super().__init__()
        self.first = nn.Linear(inputs, width)
        self.second = nn.Linear(width, width)
        self.out = nn.Linear(width, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = F.gelu(self.first(x))
        return self.out(F.gelu(self.second(x)))


class Trainer:
    """Fits a network and remembers how it went."""

    def __init__(self, network: nn.Module, detached: bool) -> None:
        self.network = network
        self.optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
        self.detached = detached
        self.history = {"train_loss": [], "probe": []}

    def train_epoch(self, inputs: torch.Tensor, targets: torch.Tensor) -> float:
        self.network.train()
        total = 0.0
        for start in range(0, len(inputs), 64):
            x, y = inputs[start : start + 64], targets[start : start + 64]
            self.optimizer.zero_grad()
            loss = F.mse_loss(self.network(x), y)
            loss.backward()
            self.optimizer.step()
            total += loss.item() * len(x)
        return total / len(inputs)

    def look(self, probe: torch.Tensor) -> torch.Tensor:
        self.network.eval()
        answers = self.network(probe)
        return answers.detach() if self.detached else answers

    def fit(self, inputs: torch.Tensor, targets: torch.Tensor, probe: torch.Tensor, epochs: int) -> None:
        for epoch in range(epochs):
            self.history["train_loss"].append(self.train_epoch(inputs, targets))
            self.history["probe"].append(self.look(probe))
            moved = self.history["probe"][-1].std().item()
            loss = self.history["train_loss"][-1]
            print(f"[{epoch + 1:03d}] loss {loss:.5f}, spread {moved:.5f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=24)
    parser.add_argument("--fixed", action="store_true", help="remembers answers without their history")
    args = parser.parse_args()

    torch.manual_seed(11)
    torch.set_num_threads(1)
    inputs = torch.rand(12_000, 40)
    targets = (inputs[:, :10] - inputs[:, 10:20]).square().sum(dim=1, keepdim=True)
    probe = torch.rand(500, 40)
    trainer = Trainer(Regressor(40, 256), detached=args.fixed)
    trainer.fit(inputs, targets, probe, args.epochs)
    best = min(range(args.epochs), key=lambda epoch: trainer.history["train_loss"][epoch])
    print(f"best epoch {best + 1}")


if __name__ == "__main__":
    main()
