"""Scans are cut by two workers of a DataLoader, which remember the scans that they prepared."""

import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Scans(IterableDataset):
    """Each pass prepares new scans, and gives pieces of them."""

    def __init__(self, per_worker: int, remembered: int) -> None:
        self.per_worker = per_worker
        self.remembered = remembered
        self.prepared: list[torch.Tensor] = []
        self.generator: torch.Generator | None = None

    def prepare(self) -> torch.Tensor:
        scan = torch.rand(400, 512, generator=self.generator)
        self.prepared.append(scan)
        del self.prepared[: -self.remembered]
        return scan

    def __iter__(self):
        if self.generator is None:
            self.generator = torch.Generator().manual_seed(40 + get_worker_info().id)
        for _ in range(self.per_worker):
            for piece in self.prepare().split(100):
                yield piece - piece.mean()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--fixed", action="store_true", help="workers remember two scans")
    args = parser.parse_args()

    torch.manual_seed(41)
    torch.set_num_threads(1)
    scans = Scans(per_worker=2, remembered=2 if args.fixed else 1_000_000)
    loader = DataLoader(scans, batch_size=None, num_workers=2, persistent_workers=True)
    network = nn.Sequential(nn.Linear(512, 128), nn.ReLU(), nn.Linear(128, 1))
    optimizer = torch.optim.SGD(network.parameters(), lr=0.02)
    for epoch in range(args.epochs):
        loss = torch.zeros(())
        for piece in loader:
            for _ in range(8):
                loss = (network(piece).squeeze(1) - piece.std(dim=1)).square().mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
        print(f"pass {epoch + 1}: {loss.item():.6f}", flush=True)


if __name__ == "__main__":
    main()
