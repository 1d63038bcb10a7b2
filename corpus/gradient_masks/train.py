"""Prunes a network a little more in each round; gradients are masked, so what is pruned stays zero."""

import argparse

import torch
from torch import nn

INPUTS, HIDDEN, CLASSES = 200, 320, 10


def network():
    return nn.Sequential(
        nn.Linear(INPUTS, HIDDEN),
        nn.ReLU(),
        nn.Linear(HIDDEN, HIDDEN),
        nn.ReLU(),
        nn.Linear(HIDDEN, CLASSES),
    )


def weights_of(model):
    return [layer.weight for layer in model if isinstance(layer, nn.Linear)]


def prune(model, fraction):
    """Zeroes the smallest weights of each layer and freezes them at zero."""
    handles = []
    for weight in weights_of(model):
        rank = max(1, int(fraction * weight.numel()))
        threshold = weight.detach().abs().flatten().kthvalue(rank).values
        mask = (weight.detach().abs() > threshold).float()
        with torch.no_grad():
            weight.mul_(mask)
        handles.append(weight.register_hook(lambda grad, mask=mask: grad * mask))
    return handles


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--steps", type=int, default=80)
    parser.add_argument("--fixed", action="store_true", help="removes the hooks of the round before")
    args = parser.parse_args()

    torch.manual_seed(402)
    torch.set_num_threads(1)
    centres = torch.randn(CLASSES, INPUTS) / 3
    model = network()
    handles = []
    for number in range(args.rounds):
        if args.fixed:
            for handle in handles:
                handle.remove()
        fraction = 0.9 * number / args.rounds
        handles = prune(model, fraction)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
        for _ in range(args.steps):
            labels = torch.randint(0, CLASSES, (64,))
            loss = nn.functional.cross_entropy(model(centres[labels] + torch.randn(64, INPUTS)), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        zeros = sum((weight == 0).sum().item() for weight in weights_of(model))
        print(f"round {number + 1}: {fraction:.0%} pruned, {zeros} zeros, loss {loss.item():.4f}", flush=True)


if __name__ == "__main__":
    main()
