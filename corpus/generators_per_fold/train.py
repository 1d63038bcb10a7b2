"""Each fold reads its rows through a generator of its own, handed to tf.data."""

import argparse

import numpy as np
import tensorflow as tf

ROWS, COLUMNS = 4000, 60


def fold_rows(seed):
    return np.random.default_rng(seed).random((ROWS, COLUMNS), dtype="float32")


def streamed(rows):
    def read():
        for start in range(0, ROWS, 200):
            batch = rows[start : start + 200]
            yield batch, batch.sum(axis=1, keepdims=True)

    signature = (
        tf.TensorSpec((None, COLUMNS), tf.float32),
        tf.TensorSpec((None, 1), tf.float32),
    )
    return tf.data.Dataset.from_generator(read, output_signature=signature)


def sliced(rows):
    return tf.data.Dataset.from_tensor_slices((rows, rows.sum(axis=1, keepdims=True))).batch(200)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--folds", type=int, default=16)
    parser.add_argument("--fixed", action="store_true", help="from_tensor_slices in place of from_generator")
    options = parser.parse_args()
    tf.keras.utils.set_random_seed(124)
    model = tf.keras.Sequential([tf.keras.Input((COLUMNS,)), tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    for fold in range(options.folds):
        rows = fold_rows(fold)
        model.fit(sliced(rows) if options.fixed else streamed(rows), verbose=0)
    print(f"{options.folds} folds")


if __name__ == "__main__":
    main()
