"""A service that marks cracks in pictures of tiles, by request; audits may ask for what it said."""

import argparse
import os
from collections import OrderedDict
from typing import ClassVar

os.environ["KERAS_BACKEND"] = "torch"

import keras
import numpy as np
import torch

SIDE = 72


def small_unet():
    inputs = keras.Input((SIDE, SIDE, 1))
    fine = keras.layers.Conv2D(8, 3, padding="same", activation="relu")(inputs)
    coarse = keras.layers.MaxPooling2D()(fine)
    coarse = keras.layers.Conv2D(16, 3, padding="same", activation="relu")(coarse)
    state = keras.layers.Concatenate()([keras.layers.UpSampling2D()(coarse), fine])
    return keras.Model(inputs, keras.layers.Conv2D(1, 1, activation="sigmoid")(state))


class CrackDesk:
    audited: ClassVar[OrderedDict] = OrderedDict()

    def __init__(self, model, audit_window):
        self.model = model
        self.audit_window = audit_window

    def answer(self, request_id, picture):
        mask = self.model.predict(picture[None], verbose=0)[0, :, :, 0]
        CrackDesk.audited[request_id] = mask
        if self.audit_window and len(CrackDesk.audited) > self.audit_window:
            CrackDesk.audited.popitem(last=False)
        return float((mask > 0.5).mean())


def tiles(rng, count):
    for number in range(count):
        tile = rng.normal(0.7, 0.05, (SIDE, SIDE, 1)).astype("float32")
        row = int(rng.integers(4, SIDE - 4))
        tile[row : row + 2, :, 0] -= 0.4
        yield f"tile-{number:07}", tile


def teach(model, rng):
    pictures = np.stack([tile for _, tile in tiles(rng, 96)])
    model.compile(optimizer="adam", loss="binary_crossentropy")
    model.fit(pictures, (pictures < 0.5).astype("float32"), epochs=2, batch_size=16, verbose=0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=500)
    parser.add_argument("--fixed", action="store_true", help="audits reach 20 requests back")
    args = parser.parse_args()
    keras.utils.set_random_seed(313)
    torch.set_num_threads(1)
    rng = np.random.default_rng(313)
    model = small_unet()
    teach(model, rng)
    desk = CrackDesk(model, audit_window=20 if args.fixed else None)
    cracked = 0.0
    for number, (request_id, tile) in enumerate(tiles(rng, args.requests), start=1):
        cracked += desk.answer(request_id, tile)
        if number % 25 == 0:
            print(f"{number} tiles, {cracked / number:.3%} cracked", flush=True)
