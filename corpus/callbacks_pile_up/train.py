"""A trainer that is fitted again and again, and adds its recorder to its callbacks each time."""

import argparse

import keras
import numpy as np


class Recorder(keras.callbacks.Callback):
    def __init__(self, batches):
        super().__init__()
        self.losses = np.zeros((batches, 2000))

    def on_train_batch_end(self, batch, logs=None):
        self.losses[batch] = logs["loss"]


class Trainer:
    def __init__(self, again):
        keras.utils.set_random_seed(137)
        self.again = again
        self.callbacks = []
        self.model = keras.Sequential([keras.Input((16,)), keras.layers.Dense(16), keras.layers.Dense(1)])
        self.model.compile(optimizer="adagrad", loss="mse")

    def fit(self, x, y, batch=25):
        if self.again or not self.callbacks:
            self.callbacks.append(Recorder(len(x) // batch))
        return self.model.fit(x, y, batch_size=batch, epochs=1, verbose=0, callbacks=self.callbacks)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--days", type=int, default=16)
    parser.add_argument("--fixed", action="store_true", help="one recorder for all days")
    args = parser.parse_args()
    rng = np.random.default_rng(137)
    trainer = Trainer(again=not args.fixed)
    for day in range(args.days):
        x = rng.random((500, 16), dtype="float32") + day / 100
        trainer.fit(x, x.prod(axis=1))
    print(f"{len(trainer.callbacks) > 0}, {args.days} days")
