"""A network with two losses on one body, the shape of a curve and its energy; both go backward in turn."""

import argparse

import torch
from torch import nn


def make_curves(count, points=64):
    phases = torch.rand(count, 1) * 6.283
    speeds = torch.rand(count, 1) * 4 + 1
    times = torch.linspace(0, 1, points)
    curves = torch.sin(phases + speeds * 6.283 * times)
    return curves + 0.1 * torch.randn(count, points), curves


class Denoiser(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv1d(1, 12, 9, 1, 4), nn.ReLU(), nn.Conv1d(12, 12, 9, 1, 4), nn.ReLU())
        self.clean = nn.Conv1d(12, 1, 1)
        self.energy = nn.Linear(12, 1)

    def forward(self, noisy):
        inner = self.body(noisy.unsqueeze(1))
        return self.clean(inner).squeeze(1), self.energy(inner.mean(dim=2)).squeeze(1)


def train_step(model, optimizer, noisy, clean):
    restored, energy = model(noisy)
    shape_loss = nn.functional.mse_loss(restored, clean)
    energy_loss = nn.functional.mse_loss(energy, clean.square().mean(dim=1))
    optimizer.zero_grad()
    shape_loss.backward(retain_graph=True)
    energy_loss.backward(retain_graph=True)
    optimizer.step()
    return shape_loss, energy_loss


def main(args):
    torch.manual_seed(5)
    torch.set_num_threads(1)
    noisy, clean = make_curves(args.batch * args.steps)
    model = Denoiser()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    curve_of_shape, curve_of_energy = [], []
    for epoch in range(args.epochs):
        for x, y in zip(noisy.split(args.batch), clean.split(args.batch), strict=True):
            shape_loss, energy_loss = train_step(model, optimizer, x, y)
            curve_of_shape.append(shape_loss.item())
        curve_of_energy.append(energy_loss.item() if args.fixed else energy_loss)
        print(f"epoch {epoch} shape {shape_loss.item():.4f} energy {energy_loss.item():.4f}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=36)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--batch", type=int, default=48)
    parser.add_argument("--fixed", action="store_true", help="keeps the number of the second loss")
    main(parser.parse_args())
