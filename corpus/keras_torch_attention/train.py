"""Finds which notes answer each other in short tunes, by attention that can be seen. Keras on PyTorch."""

import argparse
import os

os.environ["KERAS_BACKEND"] = "torch"

import keras
import numpy as np
import torch
from keras import layers, ops

NOTES, LENGTH, WIDTH = 24, 24, 32


class Attention(layers.Layer):
    """One head; it shows where it looked."""

    def __init__(self, width, last_only):
        super().__init__()
        self.width = width
        self.last_only = last_only
        self.ask, self.offer, self.give = (layers.Dense(width, use_bias=False) for _ in range(3))
        self.looks = []

    def call(self, x):
        scores = ops.matmul(self.ask(x), ops.transpose(self.offer(x), (0, 2, 1))) / self.width**0.5
        look = ops.softmax(scores)
        if self.last_only:
            self.looks.clear()
        self.looks.append(look)
        return x + ops.matmul(look, self.give(x))


class TuneModel(keras.Model):
    def __init__(self, last_only):
        super().__init__()
        self.embedding = layers.Embedding(NOTES, WIDTH)
        self.attention = Attention(WIDTH, last_only)
        self.hidden = layers.Dense(64, activation="relu")
        self.answer = layers.Dense(NOTES)

    def call(self, tunes):
        state = self.attention(self.embedding(tunes))
        return self.answer(self.hidden(state))


class ShowSharpness(keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        look = self.model.attention.looks[-1].detach()
        sharpness = look.max(dim=-1)[0].mean().item()
        print(f"epoch {epoch + 1}: loss {logs['loss']:.4f}, sharpness {sharpness:.3f}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=28)
    parser.add_argument("--fixed", action="store_true", help="the layer shows its last look only")
    args = parser.parse_args()

    keras.utils.set_random_seed(421)
    torch.set_num_threads(1)
    rng = np.random.default_rng(421)
    tunes = rng.integers(0, NOTES, (1000, LENGTH))
    answers = (tunes + np.roll(tunes, 3, axis=1)) % NOTES
    model = TuneModel(args.fixed)
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    model.fit(tunes, answers, batch_size=50, epochs=args.epochs, verbose=0, callbacks=[ShowSharpness()])


if __name__ == "__main__":
    main()
