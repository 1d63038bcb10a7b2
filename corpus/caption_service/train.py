"""A service in miniature: train for a moment, then answer requests one after another."""

import argparse
import itertools

import keras
import numpy as np
from service.handler import Handler


def requests(rng):
    for number in itertools.count():
        yield {"id": f"clip-{number:05}", "frames": rng.random((64, 40), dtype="float32")}


def trained(rng):
    model = keras.Sequential([keras.Input((40,)), keras.layers.Dense(500, activation="softmax")])
    model.compile("adam", "sparse_categorical_crossentropy")
    model.fit(rng.random((128, 40)), rng.integers(0, 500, 128), epochs=1, verbose=0)
    return model


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--requests", type=int, default=60)
    parser.add_argument("--fixed", action="store_true", help="eight answers are remembered")
    args = parser.parse_args()
    keras.utils.set_random_seed(130)
    rng = np.random.default_rng(130)
    handler = Handler(trained(rng), remembered=8 if args.fixed else None)
    served = [handler.handle(request) for request in itertools.islice(requests(rng), args.requests)]
    print(f"served {len(served)}")


main()
