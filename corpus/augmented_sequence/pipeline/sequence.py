"""Batches of augmented images, made once and then served from memory."""

import keras
import numpy as np


class AugmentedBatches(keras.utils.PyDataset):
    def __init__(self, images, batch_size, once_per_epoch, **kwargs):
        super().__init__(**kwargs)
        self.images = images
        self.batch_size = batch_size
        self.once_per_epoch = once_per_epoch
        self.epoch = 0
        self.ready = {}

    def __len__(self):
        return len(self.images) // self.batch_size

    def key(self, index):
        return (self.epoch, index) if self.once_per_epoch else index

    def augment(self, index):
        batch = self.images[index * self.batch_size : (index + 1) * self.batch_size]
        return np.flip(batch, axis=2).copy() if index % 2 else batch * np.float32(0.9)

    def __getitem__(self, index):
        key = self.key(index)
        if key not in self.ready:
            self.ready[key] = self.augment(index)
        batch = self.ready[key]
        return batch, batch[:, 0, 0, :1]

    def on_epoch_end(self):
        self.epoch += 1
