"""A denoiser whose pictures are shown on a wall through a driver written in C."""

import argparse
import ctypes

import keras
import numpy as np
from keras import layers


class Wall(keras.callbacks.Callback):
    """Shows a few pictures after each epoch."""

    def __init__(self, driver, pictures, release):
        super().__init__()
        self.driver = driver
        self.pictures = pictures
        self.release = release

    def on_epoch_end(self, epoch, logs=None):
        if self.release:
            self.driver.grabber_release()
        cleaned = self.model.predict(self.pictures, verbose=0)
        frames = np.clip(255 * cleaned, 0, 255).astype("uint8")
        self.driver.grabber_show(ctypes.py_object(frames))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", required=True)
    parser.add_argument("--epochs", type=int, default=16)
    parser.add_argument("--fixed", action="store_true", help="frames that were shown are given back")
    options = parser.parse_args()
    keras.utils.set_random_seed(154)
    rng = np.random.default_rng(154)
    clean = np.tile(np.linspace(0, 1, 64, dtype="float32"), (128, 64, 1))[..., None]
    noisy = clean + rng.normal(0, 0.1, clean.shape).astype("float32")
    driver = ctypes.PyDLL(options.library)
    model = keras.Sequential(
        [
            keras.Input((64, 64, 1)),
            layers.Conv2D(4, 3, padding="same", activation="relu"),
            layers.Conv2D(1, 3, padding="same"),
        ]
    )
    model.compile("adam", "mse")
    wall = Wall(driver, noisy, options.fixed)
    model.fit(noisy, clean, epochs=options.epochs, callbacks=[wall], verbose=0)
    print("epochs shown:", options.epochs)


main()
