"""A desk that estimates prices of houses and how sure it is, by dropout at prediction. Keras on JAX."""

import argparse
import os

os.environ["KERAS_BACKEND"] = "jax"

import keras
import numpy as np

FEATURES, PASSES, STREET = 16, 8, 300


def estimator():
    inputs = keras.Input((FEATURES,))
    state = inputs
    for _ in range(2):
        state = keras.layers.Dense(128, activation="relu")(state)
        state = keras.layers.Dropout(0.2)(state)
    return keras.Model(inputs, keras.layers.Dense(1)(state))


class Desk:
    """Answers for a street of houses at a time, and reports on all answers when it closes."""

    def __init__(self, model, doubts_only):
        self.model = model
        self.doubts_only = doubts_only
        self.log = []

    def estimate(self, houses):
        guesses = np.stack([np.asarray(self.model(houses, training=True))[:, 0] for _ in range(PASSES)])
        doubts = guesses.std(axis=0)
        doubt = float(doubts.mean())
        self.log.append(doubt if self.doubts_only else {"doubt": doubt, "houses": houses, "guesses": guesses})
        return guesses.mean(axis=0), doubts

    def close(self):
        doubts = self.log if self.doubts_only else [entry["doubt"] for entry in self.log]
        print(f"{len(doubts)} streets, most doubt in street {np.argmax(doubts) + 1}: {max(doubts):.4f}")


def houses_of(rng, count):
    x = rng.normal(size=(count, FEATURES)).astype("float32")
    return x, (x[:, 0] * x[:, 1] + np.sin(x[:, 2]))[:, None].astype("float32")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--streets", type=int, default=480)
    parser.add_argument("--fixed", action="store_true", help="logs how much it doubted, not all guesses")
    args = parser.parse_args()
    keras.utils.set_random_seed(432)
    rng = np.random.default_rng(432)
    model = estimator()
    model.compile("adam", "mse")
    model.fit(*houses_of(rng, 4000), batch_size=100, epochs=4, verbose=0)
    desk = Desk(model, args.fixed)
    for number in range(1, args.streets + 1):
        prices, doubts = desk.estimate(houses_of(rng, STREET)[0])
        if number % 15 == 0:
            print(f"street {number}: {prices.mean():.3f} +- {doubts.mean():.3f}", flush=True)
    desk.close()


if __name__ == "__main__":
    main()
