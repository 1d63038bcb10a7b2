"""A small student learns from a large teacher; Keras on JAX, with a PyDataset that asks the teacher."""

import argparse
import os

os.environ["KERAS_BACKEND"] = "jax"

import keras
import numpy as np


class TaughtBatches(keras.utils.PyDataset):
    """Batches with the teacher's logits, which are asked for once."""

    def __init__(self, x, teacher, batch_size, by_sample):
        super().__init__()
        self.x = x
        self.teacher = teacher
        self.batch_size = batch_size
        self.by_sample = by_sample
        self.rng = np.random.default_rng(327)
        self.order = np.arange(len(x))
        self.logits = {}

    def __len__(self):
        return len(self.x) // self.batch_size

    def on_epoch_end(self):
        self.rng.shuffle(self.order)

    def taught_batch(self, chosen):
        key = tuple(chosen.tolist())
        if key not in self.logits:
            self.logits[key] = self.teacher.predict_on_batch(self.x[chosen])
        return self.logits[key]

    def taught_samples(self, chosen):
        new = [index for index in chosen.tolist() if index not in self.logits]
        if new:
            answers = self.teacher.predict_on_batch(self.x[chosen])
            self.logits.update((int(index), row.copy()) for index, row in zip(chosen, answers, strict=True))
        return np.stack([self.logits[int(index)] for index in chosen])

    def __getitem__(self, index):
        chosen = self.order[index * self.batch_size : (index + 1) * self.batch_size]
        return self.x[chosen], (self.taught_samples if self.by_sample else self.taught_batch)(chosen)


def mlp(features, hidden, classes, name):
    inputs = keras.Input((features,))
    state = inputs
    for size in hidden:
        state = keras.layers.Dense(size, activation="relu")(state)
    return keras.Model(inputs, keras.layers.Dense(classes)(state), name=name)


def softened(targets, answers, temperature=3.0):
    targets = keras.ops.softmax(targets / temperature)
    return keras.losses.kl_divergence(targets, keras.ops.softmax(answers / temperature))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=26)
    parser.add_argument("--fixed", action="store_true", help="keeps logits by sample, not by batch")
    args = parser.parse_args()
    keras.utils.set_random_seed(327)
    x = np.random.default_rng(328).normal(size=(2400, 70)).astype("float32")
    y = (np.abs(x[:, :40]) @ np.random.default_rng(329).normal(size=(40, 50))).argmax(axis=1)
    teacher = mlp(70, (512, 512), 50, "teacher")
    teacher.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    teacher.fit(x, y, batch_size=100, epochs=2, verbose=0)
    student = mlp(70, (64,), 50, "student")
    student.compile("adam", softened)
    taught = TaughtBatches(x, teacher, 50, args.fixed)
    student.fit(taught, epochs=args.epochs, shuffle=False, verbose=2)


if __name__ == "__main__":
    main()
