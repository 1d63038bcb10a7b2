"""How far do the features of a small text model move while it is trained?"""

import argparse

import keras
import numpy as np
from keras import layers

TOKENS, LENGTH = 400, 40


def classifier():
    words = keras.Input((LENGTH,), dtype="int32")
    x = layers.Embedding(TOKENS, 32, name="words")(words)
    x = layers.Conv1D(32, 5, activation="relu", name="phrases")(x)
    x = layers.GlobalMaxPooling1D()(x)
    return keras.Model(words, layers.Dense(1, activation="sigmoid")(x))


class Drift:
    """Compares the features of now with those of before."""

    def __init__(self, model, texts):
        self.features = keras.Model(model.input, model.get_layer("phrases").output)
        self.texts = texts

    def moved(self, epoch, before=[]):  # noqa: B006
        before.append(np.asarray(self.features(self.texts)))
        return float(np.abs(before[-1] - before[-2]).mean()) if epoch else 0.0

    def moved_with_bound(self, epoch, before={}):  # noqa: B006
        now = np.asarray(self.features(self.texts))
        last, before["last"] = before.get("last", now), now
        return float(np.abs(now - last).mean())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=16)
    parser.add_argument("--fixed", action="store_true", help="only the features of the last epoch")
    options = parser.parse_args()
    keras.utils.set_random_seed(163)
    rng = np.random.default_rng(163)
    texts = rng.integers(0, TOKENS, (1200, LENGTH), dtype="int32")
    labels = (texts[:, :5].sum(axis=1) > 1000).astype("float32")
    model = classifier()
    model.compile("adam", "binary_crossentropy")
    drift = Drift(model, texts[:600])
    moved = drift.moved_with_bound if options.fixed else drift.moved
    steps = []
    look = keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: steps.append(moved(epoch)))
    model.fit(texts, labels, batch_size=60, epochs=options.epochs, callbacks=[look], verbose=0)
    print("features moved in", sum(step > 0 for step in steps), "of", len(steps), "epochs")


if __name__ == "__main__":
    main()
