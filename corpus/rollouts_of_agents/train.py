"""An agent learns by policy gradients to walk a grid to its goal; 32 walkers share each rollout."""

import argparse
from dataclasses import dataclass, field

import torch
from torch import nn
from torch.distributions import Categorical

SIDE, WALKERS, STEPS = 8, 32, 30
MOVES = torch.tensor([[-1, 0], [1, 0], [0, -1], [0, 1]])


class Grid:
    def __init__(self):
        self.places = torch.randint(0, SIDE, (WALKERS, 2))
        self.goals = torch.randint(0, SIDE, (WALKERS, 2))

    def planes(self):
        seen = torch.zeros(WALKERS, 2, SIDE, SIDE)
        each = torch.arange(WALKERS)
        seen[each, 0, self.places[:, 0], self.places[:, 1]] = 1
        seen[each, 1, self.goals[:, 0], self.goals[:, 1]] = 1
        return seen.flatten(1)

    def move(self, actions):
        before = (self.places - self.goals).abs().sum(dim=1)
        self.places = (self.places + MOVES[actions]).clamp(0, SIDE - 1)
        return (before - (self.places - self.goals).abs().sum(dim=1)).float() - 0.1


@dataclass
class Rollout:
    states: list = field(default_factory=list)
    log_probs: list = field(default_factory=list)
    rewards: list = field(default_factory=list)

    def total(self):
        return torch.stack(self.rewards).sum(dim=0).mean().item()

    def returns(self, discount=0.95):
        ahead, found = torch.zeros(WALKERS), []
        for reward in reversed(self.rewards):
            ahead = reward + discount * ahead
            found.append(ahead)
        return torch.stack(found[::-1])


class Agent:
    def __init__(self, numbers_only):
        self.numbers_only = numbers_only
        self.policy = nn.Sequential(nn.Linear(2 * SIDE * SIDE, 128), nn.ReLU(), nn.Linear(128, len(MOVES)))
        self.optimizer = torch.optim.Adam(self.policy.parameters(), lr=2e-3)
        self.finished = []

    def play(self):
        grid, rollout = Grid(), Rollout()
        for _ in range(STEPS):
            state = grid.planes()
            choice = Categorical(logits=self.policy(state))
            actions = choice.sample()
            rollout.states.append(state)
            rollout.log_probs.append(choice.log_prob(actions))
            rollout.rewards.append(grid.move(actions))
        return rollout

    def learn(self, rollout):
        returns = rollout.returns()
        advantage = (returns - returns.mean()) / (returns.std() + 1e-6)
        loss = -(torch.stack(rollout.log_probs) * advantage).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.finished.append(rollout.total() if self.numbers_only else rollout)

    def recent_mean(self, count=50):
        recent = self.finished[-count:]
        totals = recent if self.numbers_only else [rollout.total() for rollout in recent]
        return sum(totals) / len(totals)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--episodes", type=int, default=320)
    parser.add_argument(
        "--fixed", action="store_true", help="remembers what a rollout earned, not the rollout"
    )
    args = parser.parse_args()
    torch.manual_seed(401)
    torch.set_num_threads(1)
    agent = Agent(args.fixed)
    for episode in range(1, args.episodes + 1):
        agent.learn(agent.play())
        if episode % 10 == 0:
            print(f"episode {episode}: mean return {agent.recent_mean():.3f}", flush=True)


if __name__ == "__main__":
    main()
