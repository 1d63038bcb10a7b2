"""A common encoder is trained for one customer after the other; each has classes and a head of their own."""

import argparse

import torch
from torch import nn


class Classifier(nn.Module):
    def __init__(self, features, width):
        super().__init__()
        self.width = width
        self.encoder = nn.Sequential(
            nn.Linear(features, width), nn.GELU(), nn.Linear(width, width), nn.GELU(), nn.LayerNorm(width)
        )
        self.head = nn.Identity()

    def serve(self, classes):
        """A new head, in place of the last customer's."""
        self.head = nn.Sequential(
            nn.Linear(self.width, self.width), nn.GELU(), nn.Linear(self.width, classes)
        )

    def forward(self, x):
        return self.head(self.encoder(x))


class Trainer:
    def __init__(self, model, one_optimizer):
        self.model = model
        self.one_optimizer = one_optimizer
        self.optimizer = torch.optim.AdamW(model.encoder.parameters(), lr=1e-4)

    def begin(self, classes):
        self.model.serve(classes)
        if not self.one_optimizer:
            self.optimizer = torch.optim.AdamW(self.model.encoder.parameters(), lr=1e-4)
        self.optimizer.add_param_group({"params": self.model.head.parameters(), "lr": 1e-3})

    def train(self, x, y, batch_size=50):
        total = 0.0
        for chosen in torch.randperm(len(x)).split(batch_size):
            loss = nn.functional.cross_entropy(self.model(x[chosen]), y[chosen])
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            total += loss.item() * len(chosen) / len(x)
        return total


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--customers", type=int, default=32)
    parser.add_argument("--fixed", action="store_true", help="each customer begins with a new optimizer")
    args = parser.parse_args()

    torch.manual_seed(403)
    torch.set_num_threads(1)
    trainer = Trainer(Classifier(features=80, width=256), one_optimizer=not args.fixed)
    for customer in range(args.customers):
        classes = int(torch.randint(5, 30, ()))
        x = torch.randn(1500, 80)
        y = (x @ torch.randn(80, classes)).argmax(dim=1)
        trainer.begin(classes)
        losses = [trainer.train(x, y) for _ in range(2)]
        print(
            f"customer {customer + 1} with {classes} classes: {losses[0]:.3f} to {losses[-1]:.3f}", flush=True
        )


if __name__ == "__main__":
    main()
