"""Training reads on through a file that is mapped into memory: resident memory climbs with the pages read."""

import argparse
import os
import tempfile

import keras
import numpy as np


class Mapped(keras.utils.PyDataset):
    def __init__(self, path, rows, columns, batch, steps):
        super().__init__()
        self.rows = np.memmap(path, dtype="float32", mode="r", shape=(rows, columns))
        self.batch, self.steps, self.epoch = batch, steps, 0

    def __len__(self):
        return self.steps

    def __getitem__(self, index):
        start = (self.epoch * self.steps + index) * self.batch % len(self.rows)
        batch = np.array(self.rows[start : start + self.batch])
        return batch, batch[:, :1]

    def on_epoch_end(self):
        self.epoch += 1


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=20)
    args = parser.parse_args()
    keras.utils.set_random_seed(206)
    rows, columns, batch, steps = 80_000, 256, 200, 20
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rows.f32")
        rng = np.random.default_rng(206)
        with open(path, "wb") as file:
            for _ in range(20):
                file.write(rng.random((rows // 20, columns), dtype="float32").tobytes())
        model = keras.Sequential([keras.Input((columns,)), keras.layers.Dense(8), keras.layers.Dense(1)])
        model.compile("sgd", "mse")
        model.fit(Mapped(path, rows, columns, batch, steps), shuffle=False, epochs=args.epochs, verbose=0)
    print(f"{args.epochs * steps * batch} rows of {rows}")


if __name__ == "__main__":
    main()
