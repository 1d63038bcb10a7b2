"""A vocabulary is learnt on the way: it grows quickly at first, and then knows nearly every word."""

import argparse

import keras
import numpy as np
from text.vocabulary import Vocabulary

WORDS, LENGTH = 12_000, 30


def sentences(rng, count):
    for _ in range(count):
        yield [
            f"word-{number:06}"
            for number in np.minimum(rng.exponential(WORDS / 8, LENGTH), WORDS - 1).astype(int)
        ]


def batches(vocabulary):
    rng = np.random.default_rng(210)
    while True:
        rows = np.array([vocabulary.encode(words) for words in sentences(rng, 32)])
        yield rows, (rows.mean(axis=1) > WORDS / 16).astype("int32")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=40)
    args = parser.parse_args()
    keras.utils.set_random_seed(210)
    vocabulary = Vocabulary()
    model = keras.Sequential(
        [
            keras.Input((LENGTH,), dtype="int32"),
            keras.layers.Embedding(WORDS, 8),
            keras.layers.GlobalAveragePooling1D(),
            keras.layers.Dense(1, activation="sigmoid"),
        ]
    )
    model.compile("sgd", "binary_crossentropy")
    model.fit(batches(vocabulary), steps_per_epoch=25, epochs=args.epochs, verbose=0)
    print("words are known:", len(vocabulary.numbers) > 1000)


if __name__ == "__main__":
    main()
