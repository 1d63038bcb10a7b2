"""Every stage of a curriculum sets up its own logging, and the handlers of older stages stay."""

import argparse
import logging
import logging.handlers

import keras
import numpy as np

log = logging.getLogger("curriculum")
log.setLevel(logging.DEBUG)
log.propagate = False


def set_up(stage, quiet):
    if quiet:
        for old in list(log.handlers):
            log.removeHandler(old)
    handler = logging.handlers.MemoryHandler(capacity=100_000)
    handler.setFormatter(logging.Formatter(f"stage {stage}: %(message)s"))
    log.addHandler(handler)


class Logged(keras.callbacks.Callback):
    def on_train_batch_end(self, batch, logs=None):
        log.debug("batch %d of the stage, sizes %s", batch, [batch] * 40)


def main():
    cli = argparse.ArgumentParser()
    cli.add_argument("--stages", type=int, default=14)
    cli.add_argument("--fixed", action="store_true", help="a stage removes the handlers of the one before")
    cli = cli.parse_args()
    keras.utils.set_random_seed(134)
    x = np.random.default_rng(134).random((4000, 10), dtype="float32")
    y = x.sum(axis=1)
    model = keras.Sequential([keras.Input((10,)), keras.layers.Dense(4), keras.layers.Dense(1)])
    model.compile("adam", "mse")
    for stage in range(cli.stages):
        set_up(stage, quiet=cli.fixed)
        model.fit(x, y, batch_size=20, epochs=1, verbose=0, callbacks=[Logged()])
    print("stages:", cli.stages)


if __name__ == "__main__":
    main()
