"""A desk that rates letters of customers: the model is called as a function, request after request."""

import argparse
import itertools

import keras
import numpy as np

WORDS = 4000


def letters(rng):
    for number in itertools.count():
        yield f"customer-{number:06}", rng.integers(1, WORDS, (1, 160))


class Desk:
    def __init__(self, model, remembered):
        self.model = model
        self.remembered = remembered
        self.read = {}

    def rate(self, customer, letter):
        marks = np.array(self.model(letter, training=False))[0]
        self.read[customer] = marks
        if self.remembered is not None and len(self.read) > self.remembered:
            del self.read[next(iter(self.read))]
        return float(marks.mean())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--requests", type=int, default=600)
    parser.add_argument("--fixed", action="store_true", help="remembers the last ten customers")
    args = parser.parse_args()

    keras.utils.set_random_seed(203)
    model = keras.Sequential(
        [
            keras.layers.Input((160,)),
            keras.layers.Embedding(WORDS, 48),
            keras.layers.Conv1D(64, 5, padding="same", activation="relu"),
            keras.layers.Conv1D(64, 5, padding="same", activation="relu"),
            keras.layers.Dense(32, activation="tanh"),
        ]
    )
    desk = Desk(model, remembered=10 if args.fixed else None)
    ratings = 0.0
    arrived = itertools.islice(letters(np.random.default_rng(203)), args.requests)
    for number, (customer, letter) in enumerate(arrived, start=1):
        ratings += desk.rate(customer, letter)
        if number % 15 == 0:
            print(f"{number} letters rated, {ratings / number:+.4f} on average", flush=True)


main()
