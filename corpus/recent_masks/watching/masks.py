"""Keeps the latest masks, to leaf through them afterwards."""

from collections import deque

import keras


class MaskWatch(keras.callbacks.Callback):
    def __init__(self, pictures, most=None):
        super().__init__()
        self.pictures = pictures
        self.recent = deque(maxlen=most)

    def on_epoch_end(self, epoch, logs=None):
        masks = self.model.predict(self.pictures, verbose=0) > 0.5
        self.recent.append((epoch, masks))
