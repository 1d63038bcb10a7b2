"""Self-training: pseudo labels of each round become a data set of their own."""

import argparse

import keras
import numpy as np
import tensorflow as tf

cli = argparse.ArgumentParser()
cli.add_argument("--rounds", type=int, default=16)
cli.add_argument("--fixed", action="store_true", help="the data set of a round goes with the round")
cli = cli.parse_args()

keras.utils.set_random_seed(123)
rng = np.random.default_rng(123)
unlabelled = rng.normal(size=(3000, 40)).astype("float32")

student = keras.Sequential(
    [keras.Input((40,)), keras.layers.Dense(24, "relu"), keras.layers.Dense(1, "sigmoid")]
)
student.compile("adam", "binary_crossentropy")


def pseudo_labelled():
    confidence = student.predict(unlabelled, batch_size=1000, verbose=0)
    order = np.argsort(np.abs(confidence[:, 0] - 0.5))[::-1][:2000]
    return tf.data.Dataset.from_tensor_slices((unlabelled[order], np.round(confidence[order]))).batch(100)


rounds = {}
for number in range(cli.rounds):
    dataset = pseudo_labelled()
    if not cli.fixed:
        rounds[f"round-{number}"] = dataset
    student.fit(dataset, epochs=1, verbose=0)
print(f"{len(rounds)} rounds can be looked at again")
