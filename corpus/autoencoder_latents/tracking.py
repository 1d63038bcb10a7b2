"""What the autoencoder's callbacks write down."""

import keras


class LatentTracker(keras.callbacks.Callback):
    """Remembers how the codes of some samples move in the course of training."""

    def __init__(self, encoder, samples, newest_only=False):
        super().__init__()
        self.encoder = encoder
        self.samples = samples
        self.newest_only = newest_only
        self.by_epoch = {}

    def on_epoch_end(self, epoch, logs=None):
        if self.newest_only:
            self.by_epoch.clear()
        self.by_epoch[epoch] = self.encoder.predict(self.samples, batch_size=500, verbose=0)
