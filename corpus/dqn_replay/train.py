"""Q-learning on a toy of grids; transitions go into a replay memory."""

import argparse
import random
from collections import deque

import keras
import numpy as np
from keras import layers


class Field:
    """A player walks to a flag on a grid; the state is a picture of it."""

    def __init__(self, size, rng):
        self.size, self.rng = size, rng
        self.reset()

    def reset(self):
        self.player, self.flag = self.rng.integers(0, self.size, 2), self.rng.integers(0, self.size, 2)
        return self.picture()

    def picture(self):
        picture = np.zeros((self.size, self.size, 2), "float32")
        picture[(*self.player, 0)] = picture[(*self.flag, 1)] = 1
        return picture

    def step(self, action):
        self.player = np.clip(self.player + [(0, 1), (1, 0), (0, -1), (-1, 0)][action], 0, self.size - 1)
        done = bool((self.player == self.flag).all())
        return self.picture(), float(done), done


class Agent:
    def __init__(self, size, room):
        self.memory = deque(maxlen=room)
        self.chance = random.Random(139)
        self.q = keras.Sequential(
            [
                layers.Input((size, size, 2)),
                layers.Flatten(),
                layers.Dense(24, activation="relu"),
                layers.Dense(4),
            ]
        )
        self.q.compile("adam", "mse")

    def learn(self, batch=32):
        states, actions, rewards, after = zip(*self.chance.choices(self.memory, k=batch), strict=True)
        target = self.q.predict_on_batch(np.stack(states))
        best = self.q.predict_on_batch(np.stack(after)).max(axis=1)
        target[np.arange(batch), actions] = np.array(rewards) + 0.95 * best
        self.q.train_on_batch(np.stack(states), target)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--moves", type=int, default=1000)
    parser.add_argument("--room", type=int, default=1_000_000)
    args = parser.parse_args()
    keras.utils.set_random_seed(139)
    field, agent = Field(20, np.random.default_rng(139)), Agent(20, args.room)
    state = field.reset()
    for _ in range(args.moves):
        action = agent.chance.randrange(4)
        after, reward, done = field.step(action)
        agent.memory.append((state, action, reward, after))
        state = field.reset() if done else after
        agent.learn()
    print(f"{args.moves} moves, {len(agent.memory)} in memory")


if __name__ == "__main__":
    main()
