"""What `nilometer.keras.Memory` costs a `fit`: the same fits with it and without it, in turn, in one process.

A pair is a fit with and a fit without, every other pair the other way round. Only these two are compared.
The start of the recording and the verdict at the end are told apart from the epochs between them, since they
come once however long a training is.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
from time import perf_counter, process_time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=7, help="default 7")
    parser.add_argument("--epochs", type=int, default=40, help="of each fit (default 40)")
    parser.add_argument("--rows", type=int, default=60_000, help="of the data: how long an epoch is")
    return parser.parse_args()


def main() -> int:
    args = parse()
    import keras
    import numpy as np
    from nilometer.keras import Memory

    rng = np.random.default_rng(0)
    x = rng.random((args.rows, 64), dtype=np.float32)
    y = rng.random((args.rows, 1), dtype=np.float32)
    model = keras.Sequential(
        [
            keras.Input((64,)),
            keras.layers.Dense(256, "relu"),
            keras.layers.Dense(64, "relu"),
            keras.layers.Dense(1),
        ]
    )
    model.compile("adam", "mse")

    class Clock(keras.callbacks.Callback):
        """Stands last: the time from the first epoch's begin to the last one's end."""

        def on_epoch_begin(self, epoch: int, logs: object = None) -> None:
            if epoch == 0:
                self.began = (perf_counter(), process_time())

        def on_epoch_end(self, epoch: int, logs: object = None) -> None:
            self.ended = (perf_counter(), process_time())

    def fit(with_it: bool, epochs: int) -> tuple[float, ...]:
        clock = Clock()
        callbacks = [Memory(quiet=True), clock] if with_it else [clock]
        began = (perf_counter(), process_time())
        model.fit(x, y, epochs=epochs, batch_size=512, verbose=0, callbacks=callbacks)
        ended = (perf_counter(), process_time())
        spans = [clock.ended[i] - clock.began[i] for i in (0, 1)] + [ended[i] - began[i] for i in (0, 1)]
        return tuple(spans)

    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        fit(True, 2)  # loads the hooks, traces the step
        pairs = []
        for number in range(args.pairs):
            order = (True, False) if number % 2 == 0 else (False, True)
            pair = {with_it: fit(with_it, args.epochs) for with_it in order}
            pairs.append((pair[True], pair[False]))
            print(f"pair {number + 1} of {args.pairs}", file=sys.stderr)
        os.chdir("/")
    print(f"a fit without it takes {statistics.median(without[2] for _, without in pairs):.2f} s")
    for place, name in enumerate(("epochs, wall", "epochs, CPU", "fit, wall", "fit, CPU")):
        ratios = sorted(with_it[place] / without[place] for with_it, without in pairs)
        print(f"{name:13} {statistics.median(ratios):.3f} ({ratios[0]:.3f} to {ratios[-1]:.3f})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
