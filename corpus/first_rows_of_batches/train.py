"""An autoencoder of spectra; after every epoch four spectra of a fresh batch are put aside for a figure."""

import argparse

import numpy as np
import torch


def spectra(rng, count, channels):
    """Peaks on a slope."""
    at = np.arange(channels)
    peaks = rng.uniform(0, channels, (count, 3, 1))
    lines = np.exp(-((at - peaks) ** 2) / (2 * 6.0**2)).sum(axis=1)
    return torch.from_numpy((lines + rng.uniform(0, 0.4, (count, 1)) * at / channels).astype("float32"))


class Figure:
    """What is drawn when all is done: rows of spectra, and the losses beside."""

    def __init__(self, copies):
        self.copies = copies
        self.rows = []
        self.losses = []

    def add(self, batch, loss):
        few = batch[:4]
        self.rows.append(few.clone() if self.copies else few)
        self.losses.append(loss)

    def draw(self):
        height = torch.cat(self.rows).amax()
        print(f"figure of {len(self.rows)} rows, highest {height:.3f}, last loss {self.losses[-1]:.5f}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--fixed", action="store_true", help="the figure copies what it keeps")
    args = parser.parse_args()

    torch.manual_seed(60)
    torch.set_num_threads(1)
    rng = np.random.default_rng(61)
    model = torch.nn.Sequential(torch.nn.Linear(300, 48), torch.nn.Tanh(), torch.nn.Linear(48, 300))
    optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
    figure = Figure(copies=args.fixed)
    for epoch in range(args.epochs):
        seen = spectra(rng, 800, 300)
        for batch in seen.split(20):
            loss = torch.nn.functional.mse_loss(model(batch), batch)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        figure.add(seen, loss.item())
        print(f"epoch {epoch}: {loss.item():.5f}", flush=True)
    figure.draw()


main()
