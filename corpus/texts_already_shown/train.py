"""A network that goes on writing letters; a callback shows what it writes, nothing of it twice."""

import argparse

import keras
import numpy as np
from keras import layers

LETTERS, WINDOW, LENGTH = 30, 12, 6000


class ShowsTexts(keras.callbacks.Callback):
    def __init__(self, beginnings, forget):
        super().__init__()
        self.beginnings = beginnings
        self.forget = forget
        self.already = set()
        self.shown = 0

    def on_epoch_end(self, epoch, logs=None):
        if self.forget:
            self.already.clear()
        scores = self.model.predict(self.beginnings, verbose=0)
        for row, score in enumerate(scores):
            text = self.written(score, np.random.default_rng([row, epoch]))
            if text not in self.already:
                self.already.add(text)
                self.shown += 1

    def written(self, score, rng):
        letters = rng.choice(LETTERS, LENGTH, p=score / score.sum())
        return (letters + ord("a")).astype("uint8").tobytes()


parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=18)
parser.add_argument("--fixed", action="store_true", help="knows the texts of this epoch only")
args = parser.parse_args()

keras.utils.set_random_seed(152)
rng = np.random.default_rng(152)
corpus = rng.integers(0, LETTERS, (1500, WINDOW))
shows = ShowsTexts(corpus[:96], args.fixed)
model = keras.Sequential(
    [
        keras.Input((WINDOW,)),
        layers.Embedding(LETTERS, 8),
        layers.Flatten(),
        layers.Dense(LETTERS, activation="softmax"),
    ]
)
model.compile("adam", "sparse_categorical_crossentropy")
model.fit(corpus, corpus[:, 0], epochs=args.epochs, batch_size=64, callbacks=[shows], verbose=0)
print("texts:", shows.shown)
