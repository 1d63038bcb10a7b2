"""After every epoch the curves and the distribution of errors go into a picture, for the lab's diary."""

import argparse
import tempfile
from pathlib import Path

import keras
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np


class Diary(keras.callbacks.Callback):
    def __init__(self, folder, x, y, close):
        super().__init__()
        self.folder = Path(folder)
        self.x, self.y = x, y
        self.close = close
        self.losses = []

    def on_epoch_end(self, epoch, logs=None):
        self.losses.append(logs["loss"])
        errors = self.model(self.x).numpy()[:, 0] - self.y
        fig, (left, right) = plt.subplots(1, 2, figsize=(7, 3))
        left.plot(self.losses, label="loss")
        left.set_xlabel("epoch")
        left.legend()
        right.hist(errors, bins=30)
        right.set_title(f"errors, epoch {epoch}")
        fig.savefig(self.folder / f"{epoch:03}.png", dpi=60)
        if self.close:
            plt.close(fig)


parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=16)
parser.add_argument("--fixed", action="store_true", help="each figure is closed when it is saved")
args = parser.parse_args()

keras.utils.set_random_seed(181)
rng = np.random.default_rng(181)
x = rng.normal(size=(2000, 12)).astype("float32")
y = x[:, 0] * x[:, 1] + 0.1 * rng.normal(size=2000).astype("float32")

model = keras.Sequential([keras.Input((12,)), keras.layers.Dense(32, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")
with tempfile.TemporaryDirectory() as folder:
    diary = Diary(folder, x[:500], y[:500], args.fixed)
    model.fit(x, y, epochs=args.epochs, batch_size=50, verbose=0, callbacks=[diary])
    print(f"{len(list(Path(folder).iterdir()))} pictures")
