"""An MLP beside an image decoder in C whose pool threads lose a buffer per image."""

import argparse
import ctypes

import keras
import numpy as np


class Decodes(keras.callbacks.Callback):
    def __init__(self, decoder, images):
        super().__init__()
        self.decoder = decoder
        self.images = images

    def on_epoch_end(self, epoch, logs=None):
        self.decoder.pool_decode(self.images)


parser = argparse.ArgumentParser()
parser.add_argument("--library", required=True)
parser.add_argument("--epochs", type=int, default=12)
parser.add_argument("--images", type=int, default=16)
args = parser.parse_args()

decoder = ctypes.CDLL(args.library)
decoder.pool_start()

keras.utils.set_random_seed(13)
rng = np.random.default_rng(13)
x = rng.random((2000, 50)).astype("float32")
y = x @ rng.random((50, 1)).astype("float32")

model = keras.Sequential(
    [
        keras.layers.Input((50,)),
        keras.layers.Dense(64, activation="relu"),
        keras.layers.Dense(1),
    ]
)
model.compile(optimizer="adam", loss="mse")
model.fit(x, y, batch_size=64, epochs=args.epochs, callbacks=[Decodes(decoder, args.images)], verbose=0)
print(f"decoded {args.images * args.epochs} images")
