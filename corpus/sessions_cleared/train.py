"""Evaluation between stages clears the session 'to save memory', while the model is still being trained."""

import argparse

import keras
import numpy as np


class Stages:
    def __init__(self, clear):
        self.clear = clear
        self.model = keras.Sequential(
            [keras.Input((14,)), keras.layers.Dense(20, activation="relu"), keras.layers.Dense(1)]
        )
        self.model.compile("adam", "mse")
        self.scores = []

    def score(self, x, y):
        return float(np.mean((self.model.predict(x, verbose=0) - y) ** 2))

    def stage(self, x, y):
        self.model.fit(x, y, epochs=2, batch_size=50, verbose=0)
        if self.clear:
            keras.backend.clear_session()
            self.model.compile("adam", "mse")
        self.scores.append(self.score(x, y))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--stages", type=int, default=14)
    parser.add_argument("--fixed", action="store_true", help="no clearing, and so no compiling again")
    options = parser.parse_args()
    keras.utils.set_random_seed(146)
    rng = np.random.default_rng(146)
    stages = Stages(clear=not options.fixed)
    for _ in range(options.stages):
        x = rng.normal(size=(300, 14)).astype("float32")
        stages.stage(x, x[:, :1])
    print(f"{len(stages.scores)} scores")
