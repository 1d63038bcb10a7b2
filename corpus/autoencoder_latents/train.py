"""A dense autoencoder; a tracker keeps the latent codes of each epoch for an animation."""

import argparse

import keras
import numpy as np
from keras import layers
from tracking import LatentTracker


class Experiment:
    def __init__(self, options):
        self.options = options
        inputs = keras.Input((64,))
        code = layers.Dense(32, name="code")(layers.Dense(48, activation="relu")(inputs))
        outputs = layers.Dense(64)(layers.Dense(48, activation="relu")(code))
        self.encoder = keras.Model(inputs, code)
        self.model = keras.Model(inputs, outputs)
        self.model.compile(optimizer="adam", loss="mae")

    def data(self):
        rng = np.random.default_rng(101)
        waves = np.sin(np.linspace(0, 6, 64) * rng.uniform(0.5, 2, (4000, 1)))
        return waves.astype("float32")

    def run(self):
        waves = self.data()
        tracker = LatentTracker(self.encoder, waves, newest_only=self.options.fixed)
        self.model.fit(
            waves, waves, epochs=self.options.epochs, batch_size=200, verbose=0, callbacks=[tracker]
        )
        return tracker


if __name__ == "__main__":
    cli = argparse.ArgumentParser()
    cli.add_argument("--epochs", type=int, default=16)
    cli.add_argument("--fixed", action="store_true", help="only the newest codes are kept")
    keras.utils.set_random_seed(101)
    done = Experiment(cli.parse_args()).run()
    print("epochs with codes:", len(done.by_epoch))
