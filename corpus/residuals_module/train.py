"""An LSTM that forecasts series; residuals of every epoch go to a module of their own."""

import sys

import keras
import metrics_store
import numpy as np

FIXED = "--fixed" in sys.argv


def series(count, length):
    phase = np.random.default_rng(105).uniform(0, 2 * np.pi, (count, 1))
    return np.sin(np.linspace(0, 8 * np.pi, length) + phase).astype("float32")[..., None]


class Residuals(keras.callbacks.Callback):
    def __init__(self, x, y):
        super().__init__()
        self.x, self.y = x, y

    def on_epoch_end(self, epoch, logs=None):
        guess = self.model.predict_on_batch(self.x)
        residuals = self.y - guess
        metrics_store.note("rmse", np.sqrt(np.mean(residuals**2)))
        if not FIXED:
            metrics_store.remember(residuals)


keras.utils.set_random_seed(105)
data = series(600, 257)
x, y = data[:, :-1], data[:, 1:]
model = keras.Sequential(
    [
        keras.Input((256, 1)),
        keras.layers.LSTM(8, return_sequences=True),
        keras.layers.Dense(1),
    ]
)
model.compile("adam", "mse")
model.fit(x[:64], y[:64], batch_size=32, epochs=14, verbose=0, callbacks=[Residuals(x, y)])
print(f"{len(metrics_store.SCALARS['rmse'])} errors, {len(metrics_store.RESIDUALS)} arrays of residuals")
