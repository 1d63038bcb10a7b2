"""A plain PyTorch loop that reports the mean loss so far after every epoch."""

import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=40)
parser.add_argument("--fixed", action="store_true", help="sums numbers instead of tensors")
args = parser.parse_args()

torch.manual_seed(206)
torch.set_num_threads(1)
signals = torch.randn(2400, 96)
levels = signals[:, :8].abs().sum(dim=1, keepdim=True)

network = nn.Sequential(nn.Linear(96, 192), nn.Tanh(), nn.Linear(192, 192), nn.Tanh(), nn.Linear(192, 1))
descent = torch.optim.SGD(network.parameters(), lr=0.01)
criterion = nn.MSELoss()

running = 0.0
steps = 0
for epoch in range(1, args.epochs + 1):
    for batch, wanted in zip(signals.split(16), levels.split(16), strict=True):
        descent.zero_grad()
        loss = criterion(network(batch), wanted)
        loss.backward()
        descent.step()
        running += loss.item() if args.fixed else loss
        steps += 1
    print(f"epoch {epoch:>2} of {args.epochs}, mean loss {float(running) / steps:.4f}", flush=True)
