"""Trains an encoder and looks, once per epoch, how the units of its hidden layer vary together."""

import sys

import torch
from torch import nn

EPOCHS = 24
WIDTH = 256
fixed = "--fixed" in sys.argv[1:]

torch.manual_seed(21)
torch.set_num_threads(1)
samples = torch.randn(6000, 60) @ torch.randn(60, 60)
samples /= samples.std()

encoder = nn.Sequential(nn.Linear(60, WIDTH), nn.SiLU(), nn.Linear(WIDTH, 12))
decoder = nn.Linear(12, 60)
optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=2e-3)


def covariance_of_hidden(batches):
    """Correlated units show as large entries beside the diagonal."""
    products = torch.zeros(WIDTH, WIDTH)
    seen = 0

    def gather(module, inputs, output):
        nonlocal seen
        centred = output.detach() - output.detach().mean(dim=0)
        products.add_(centred.T @ centred)
        seen += len(output)

    handle = encoder[1].register_forward_hook(gather)
    with torch.no_grad():
        for batch in batches:
            encoder(batch)
    if fixed:
        handle.remove()
    return products / seen


for epoch in range(1, EPOCHS + 1):
    for batch in samples[torch.randperm(len(samples))].split(100):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(decoder(encoder(batch)), batch)
        loss.backward()
        optimizer.step()
    matrix = covariance_of_hidden(samples[:500].split(250))
    beside = (matrix - matrix.diag().diag()).abs().mean()
    print(f"{epoch:2d}  loss {loss.item():.4f}  covariance {beside.item():.5f}", flush=True)
