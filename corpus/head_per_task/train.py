"""Learns tasks one after another on a common body; each task gets a head, and some steps of training."""

import argparse

import torch
from torch import nn


class Learner(nn.Module):
    def __init__(self, one_head: bool) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(50, 400), nn.ReLU(), nn.Linear(400, 400), nn.ReLU())
        self.heads = nn.ModuleList()
        self.one_head = one_head

    def begin_task(self) -> nn.Module:
        head = nn.Sequential(nn.Linear(400, 300), nn.ReLU(), nn.Linear(300, 1))
        if self.one_head and len(self.heads):
            self.heads[0] = head
        else:
            self.heads.append(head)
        return head

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.heads[-1](self.body(x))


def learn(tasks: int, steps: int, one_head: bool) -> None:
    learner = Learner(one_head)
    for number in range(tasks):
        direction = torch.randn(50, 1)
        head = learner.begin_task()
        optimizer = torch.optim.SGD([*learner.body.parameters(), *head.parameters()], lr=0.01)
        for _ in range(steps):
            x = torch.randn(64, 50)
            loss = nn.functional.mse_loss(learner(x), torch.tanh(x @ direction))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"task {number + 1} of {tasks}: {loss.item():.4f}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=36)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--fixed", action="store_true", help="a new head takes the place of the old one")
    args = parser.parse_args()
    torch.manual_seed(90)
    torch.set_num_threads(1)
    learn(args.tasks, args.steps, args.fixed)
