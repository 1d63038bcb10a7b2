"""Sorts letters by their subject as they arrive, each as long as it is; Keras on JAX."""

import argparse
import itertools
import os

os.environ["KERAS_BACKEND"] = "jax"

import keras
import numpy as np

WORDS, SUBJECTS, LONGEST = 3000, 6, 640


class SubjectService:
    def __init__(self, model, block):
        self.model = model
        self.block = block
        self.counts = np.zeros(SUBJECTS, int)

    def padded(self, letter):
        if self.block is None:
            return letter
        return np.pad(letter, (0, -len(letter) % self.block))

    def sort(self, letter):
        scores = self.model.predict_on_batch(self.padded(letter)[None])[0]
        subject = int(scores.argmax())
        self.counts[subject] += 1
        return subject


def classifier():
    inputs = keras.Input((None,), dtype="int32")
    state = keras.layers.Embedding(WORDS, 32)(inputs)
    state = keras.layers.Conv1D(48, 5, padding="same", activation="relu")(state)
    state = keras.layers.GlobalMaxPooling1D()(state)
    return keras.Model(inputs, keras.layers.Dense(SUBJECTS, activation="softmax")(state))


def letters(rng):
    for _ in itertools.count():
        length = int(np.clip(rng.lognormal(5.3, 0.5), 20, LONGEST))
        yield rng.integers(1, WORDS, length).astype("int32")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--letters", type=int, default=128)
    parser.add_argument("--fixed", action="store_true", help="pads letters to the longest of all")
    args = parser.parse_args()
    keras.utils.set_random_seed(324)
    model = classifier()
    model.compile()
    service = SubjectService(model, LONGEST if args.fixed else None)
    for number, letter in enumerate(itertools.islice(letters(np.random.default_rng(324)), args.letters), 1):
        service.sort(letter)
        if number % 8 == 0:
            print(f"{number} letters: {service.counts.tolist()}", flush=True)


if __name__ == "__main__":
    main()
