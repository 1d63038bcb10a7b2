"""Random crops of large scans for Keras on PyTorch, by a data set and a loader of torch's."""

import argparse
import os

os.environ["KERAS_BACKEND"] = "torch"

import keras
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

CROP = 40


class Crops(Dataset):
    """Crops of scans, whitened; each crop is prepared once and then taken from the store."""

    def __init__(self, scans, store_size):
        self.scans = scans
        self.store_size = store_size
        self.store = {}

    def __len__(self):
        return len(self.scans)

    def prepared(self, index, top, left, mirrored):
        crop = self.scans[index, top : top + CROP, left : left + CROP]
        crop = crop[:, ::-1] if mirrored else crop
        return torch.from_numpy((crop - crop.mean()) / (crop.std() + 1e-6))[..., None]

    def __getitem__(self, index):
        top, left = torch.randint(0, self.scans.shape[1] - CROP, (2,)).tolist()
        place = (index, top, left, bool(torch.rand(()) < 0.5))
        if place not in self.store:
            if len(self.store) == self.store_size:
                self.store.pop(next(iter(self.store)))
            self.store[place] = self.prepared(*place)
        return self.store[place], float(self.scans[index].std())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=28)
    parser.add_argument("--fixed", action="store_true", help="the store has 300 places")
    args = parser.parse_args()

    keras.utils.set_random_seed(315)
    torch.set_num_threads(1)
    rng = np.random.default_rng(315)
    contrasts = rng.uniform(0.5, 2.0, (240, 1, 1))
    scans = (rng.normal(size=(240, 160, 160)) * contrasts).astype("float32")
    loader = DataLoader(Crops(scans, 300 if args.fixed else None), batch_size=24, shuffle=True)

    model = keras.Sequential()
    model.add(keras.Input((CROP, CROP, 1)))
    model.add(keras.layers.Conv2D(8, 5, strides=2, activation="relu"))
    model.add(keras.layers.Conv2D(16, 5, strides=2, activation="relu"))
    model.add(keras.layers.GlobalAveragePooling2D())
    model.add(keras.layers.Dense(1))
    model.compile("adam", "mae")
    history = model.fit(loader, epochs=args.epochs, verbose=0)
    print("errors:", [round(loss, 3) for loss in history.history["loss"]])


if __name__ == "__main__":
    main()
