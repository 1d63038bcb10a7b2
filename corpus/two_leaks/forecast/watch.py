"""Callbacks of the forecaster."""

import keras


class GradientNorms(keras.callbacks.Callback):
    """Harmless: a float per epoch."""

    def __init__(self):
        super().__init__()
        self.norms = []

    def on_epoch_end(self, epoch, logs=None):
        self.norms.append(float(sum((w**2).sum() for w in self.model.get_weights())) ** 0.5)


class Forecasts(keras.callbacks.Callback):
    def __init__(self, x, keep):
        super().__init__()
        self.x = x
        self.keep = keep
        self.latest = None
        self.all = []

    def on_epoch_end(self, epoch, logs=None):
        self.latest = self.model.predict_on_batch(self.x)
        if self.keep:
            self.all.append(self.latest)
