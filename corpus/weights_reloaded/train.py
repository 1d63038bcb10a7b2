"""Before each answer the newest weights are read from disk into the one model there is."""

import argparse
import pathlib
import tempfile

import numpy as np
import tensorflow as tf


class Answers:
    def __init__(self, path):
        self.path = path
        self.model = tf.keras.Sequential(
            [tf.keras.Input((128,)), tf.keras.layers.Dense(256, "relu"), tf.keras.layers.Dense(4)]
        )

    def publish(self):
        self.model.save_weights(self.path)

    def answer(self, question):
        self.model.load_weights(self.path)
        return self.model.predict_on_batch(question)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--questions", type=int, default=300)
    args = parser.parse_args()
    tf.keras.utils.set_random_seed(214)
    rng = np.random.default_rng(214)
    with tempfile.TemporaryDirectory() as folder:
        answers = Answers(pathlib.Path(folder, "newest.weights.h5"))
        answers.publish()
        sizes = [answers.answer(rng.random((16, 128), dtype="float32")).size for _ in range(args.questions)]
    print(f"{sum(sizes)} numbers")


main()
