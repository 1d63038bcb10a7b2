"""Learns gestures from few labelled recordings and from many that it labels itself. Keras on JAX."""

import argparse
import os

os.environ["KERAS_BACKEND"] = "jax"

import keras
import numpy as np

GESTURES, CHANNELS, LENGTH = 6, 6, 40


def recordings(rng, count):
    labels = rng.integers(0, GESTURES, count)
    at = np.arange(LENGTH)[:, None] / LENGTH
    waves = np.sin(2 * np.pi * (labels[:, None, None] / 2 + 1) * at + np.arange(CHANNELS))
    return (waves + rng.normal(0, 0.8, waves.shape)).astype("float32"), labels


class SelfTraining(keras.utils.PyDataset):
    """Draws batches from what is labelled; after each epoch those of a new day join it."""

    def __init__(self, rng, model, last_day_only, steps=40, batch_size=50):
        super().__init__()
        self.rng, self.model = rng, model
        self.last_day_only = last_day_only
        self.steps, self.batch_size = steps, batch_size
        self.by_hand = recordings(rng, 300)
        self.x, self.y = self.by_hand

    def __len__(self):
        return self.steps

    def __getitem__(self, index):
        chosen = self.rng.integers(0, len(self.x), self.batch_size)
        return self.x[chosen], self.y[chosen]

    def label_a_day(self):
        x, _ = recordings(self.rng, 900)
        scores = self.model.predict(x, batch_size=300, verbose=0)
        surest = np.argsort(scores.max(axis=1))[-600:]
        before_x, before_y = self.by_hand if self.last_day_only else (self.x, self.y)
        self.x = np.concatenate([before_x, x[surest]])
        self.y = np.concatenate([before_y, scores[surest].argmax(axis=1)])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=28)
    parser.add_argument("--fixed", action="store_true", help="recordings of a new day replace the last one's")
    args = parser.parse_args()
    keras.utils.set_random_seed(433)
    model = keras.Sequential([keras.Input((LENGTH, CHANNELS))])
    model.add(keras.layers.Conv1D(24, 7, activation="relu"))
    model.add(keras.layers.Conv1D(24, 7, strides=2, activation="relu"))
    model.add(keras.layers.GlobalMaxPooling1D())
    model.add(keras.layers.Dense(GESTURES))
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"])
    days = SelfTraining(np.random.default_rng(433), model, args.fixed)
    labels = keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: days.label_a_day())
    model.fit(days, epochs=args.epochs, callbacks=[labels], verbose=2)


if __name__ == "__main__":
    main()
