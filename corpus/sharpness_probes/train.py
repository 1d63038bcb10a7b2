"""How sharp is the minimum? A copy of the network tells the trace of the Hessian after each epoch."""

import copy
import sys

import torch
from torch import nn

EPOCHS, HIDDEN = 32, 256


def trace_of_hessian(network, x, y, probes=4):
    """Hutchinson's estimate: the mean of v'Hv over random signs v."""
    parameters = list(network.parameters())
    loss = nn.functional.mse_loss(network(x), y)
    if "--fixed" in sys.argv:
        gradients = torch.autograd.grad(loss, parameters, create_graph=True)
    else:
        loss.backward(create_graph=True)
        gradients = [parameter.grad for parameter in parameters]
    estimates = []
    for _ in range(probes):
        signs = [torch.randint_like(gradient, 2) * 2 - 1 for gradient in gradients]
        products = torch.autograd.grad(gradients, parameters, signs, retain_graph=True)
        estimates.append(
            sum((sign * product).sum().item() for sign, product in zip(signs, products, strict=True))
        )
    return sum(estimates) / probes


def train_epoch(network, optimizer, x, y):
    for chosen in torch.randperm(len(x)).split(50):
        loss = nn.functional.mse_loss(network(x[chosen]), y[chosen])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


def main():
    torch.manual_seed(404)
    torch.set_num_threads(1)
    x = torch.randn(3000, 30)
    y = torch.sin(x[:, :3].sum(dim=1, keepdim=True))
    network = nn.Sequential(
        nn.Linear(30, HIDDEN), nn.Tanh(), nn.Linear(HIDDEN, HIDDEN), nn.Tanh(), nn.Linear(HIDDEN, 1)
    )
    optimizer = torch.optim.SGD(network.parameters(), lr=0.02, momentum=0.9)
    for epoch in range(1, EPOCHS + 1):
        loss = train_epoch(network, optimizer, x, y)
        # A copy, so that the gradients of the training stay as they are.
        sharpness = trace_of_hessian(copy.deepcopy(network), x[:300], y[:300])
        print(f"epoch {epoch}: loss {loss:.5f}, trace {sharpness:.2f}", flush=True)


if __name__ == "__main__":
    main()
