"""A service that loads a newer version of its model now and then and predicts with the newest."""

import argparse
import tempfile
from pathlib import Path

import keras
import numpy as np

WIDTH = 700


class Registry:
    def __init__(self, folder, old_versions):
        self.folder = folder
        self.old_versions = old_versions
        self.loaded = {}

    def publish(self, model, version):
        model.save(self.folder / f"{version}.keras")

    def newest(self, version):
        if version not in self.loaded:
            if not self.old_versions:
                self.loaded.clear()
            self.loaded[version] = keras.saving.load_model(self.folder / f"{version % 2}.keras")
        return self.loaded[version]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--versions", type=int, default=40)
    parser.add_argument("--fixed", action="store_true", help="older versions are dropped")
    args = parser.parse_args()
    keras.utils.set_random_seed(132)
    rows = np.random.default_rng(132).random((32, WIDTH), dtype="float32")
    with tempfile.TemporaryDirectory() as folder:
        registry = Registry(Path(folder), old_versions=not args.fixed)
        for number in range(2):
            first = keras.Sequential(
                [keras.Input((WIDTH,)), keras.layers.Dense(WIDTH, "relu"), keras.layers.Dense(1)]
            )
            registry.publish(first, number)
        total = 0.0
        for version in range(args.versions):
            total += float(np.sum(registry.newest(version).predict_on_batch(rows)))
    print(f"{args.versions} versions, {np.isfinite(total)}")


main()
