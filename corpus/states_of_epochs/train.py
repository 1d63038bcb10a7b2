"""Trains a tagger and keeps the weights of its epochs, so that the best can be put back at the end."""

import argparse
import copy

import torch
from torch import nn

arguments = argparse.ArgumentParser()
arguments.add_argument("--epochs", type=int, default=26)
arguments.add_argument("--fixed", action="store_true", help="keeps the best state only")


class Tagger(nn.Module):
    def __init__(self, words=900, tags=9):
        super().__init__()
        self.embed = nn.Embedding(words, 64)
        self.read = nn.GRU(64, 96, batch_first=True, bidirectional=True)
        self.tag = nn.Linear(192, tags)

    def forward(self, sentence):
        return self.tag(self.read(self.embed(sentence))[0])


def sentences(count, length=12):
    words = torch.randint(0, 900, (count, length))
    return words, (words + words.roll(1, dims=1)) % 9


def accuracy(model, words, tags):
    model.eval()
    with torch.no_grad():
        right = model(words).argmax(dim=2) == tags
    model.train()
    return right.float().mean().item()


def train(epochs, best_only):
    words, tags = sentences(1600)
    held_out = sentences(200)
    model = Tagger()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    checkpoints = []
    for epoch in range(epochs):
        for x, y in zip(words.split(80), tags.split(80), strict=True):
            loss = nn.functional.cross_entropy(model(x).flatten(0, 1), y.flatten())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        score = accuracy(model, *held_out)
        checkpoints.append((score, epoch, copy.deepcopy(model.state_dict())))
        if best_only:
            checkpoints = [max(checkpoints, key=lambda checkpoint: checkpoint[:2])]
        print(f"epoch {epoch:>2}: loss {loss.item():.4f}, held out {score:.4f}", flush=True)
    score, epoch, state = max(checkpoints, key=lambda checkpoint: checkpoint[:2])
    model.load_state_dict(state)
    print(f"back to epoch {epoch} with {score:.4f}")


if __name__ == "__main__":
    args = arguments.parse_args()
    torch.manual_seed(50)
    torch.set_num_threads(1)
    train(args.epochs, args.fixed)
