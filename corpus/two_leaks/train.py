"""A forecaster with two leaks of different size, and a callback that only looks like one."""

import argparse

import keras
from forecast import data, watch


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=16)
    parser.add_argument("--fixed", action="store_true")
    args = parser.parse_args()
    data.keep_drawn = not args.fixed
    keras.utils.set_random_seed(142)

    def endless():
        seed = 0
        while True:
            seed += 1
            yield data.windows(seed)

    model = keras.Sequential(
        [
            keras.Input((48, 1)),
            keras.layers.Conv1D(12, 5, activation="relu"),
            keras.layers.Flatten(),
            keras.layers.Dense(96, activation="relu"),
            keras.layers.Dense(64),
        ]
    )
    model.compile("adam", keras.losses.MeanAbsoluteError())
    probe, _ = data.windows(0, count=4000)
    forecasts = watch.Forecasts(probe, keep=not args.fixed)
    norms = watch.GradientNorms()
    model.fit(endless(), steps_per_epoch=3, epochs=args.epochs, verbose=0, callbacks=[norms, forecasts])
    print(f"{len(norms.norms)} norms, last forecast {forecasts.latest.shape}")


main()
