"""A conv net fed by a PyDataset with a cache of augmented batches."""

import argparse

import keras
import numpy as np
from pipeline.sequence import AugmentedBatches


def parse():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fixed", action="store_true", help="the cache's key is the batch alone")
    parser.add_argument("--epochs", type=int, default=16)
    return parser.parse_args()


def main(options):
    keras.utils.set_random_seed(108)
    images = np.random.default_rng(108).random((256, 16, 16, 3), dtype="float32")
    batches = AugmentedBatches(images, 32, once_per_epoch=not options.fixed)
    model = keras.Sequential(
        [
            keras.Input((16, 16, 3)),
            keras.layers.SeparableConv2D(8, 3, activation="relu"),
            keras.layers.GlobalAveragePooling2D(),
            keras.layers.Dense(1),
        ]
    )
    model.compile(optimizer="nadam", loss="mse")
    model.fit(batches, epochs=options.epochs, verbose=0)
    print("an epoch's batches:", len(batches))


if __name__ == "__main__":
    main(parse())
