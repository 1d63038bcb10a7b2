"""A caption model trained on prompts; a prompt's embedding is dear, so it is cached by its words."""

import argparse
import functools

import keras
import numpy as np
import tensorflow as tf

WORDS, WIDTH = 4000, 512


def embedder(most):
    table = tf.constant(np.random.default_rng(155).random((WORDS, WIDTH), dtype="float32"))

    @functools.lru_cache(maxsize=most)
    def embed(words):
        return tf.gather(table, words) * 0.5

    return embed


def batches(embed, rng, prompts=8, length=24):
    while True:
        drawn = rng.integers(0, WORDS, (prompts, length))
        yield tf.stack([tf.reduce_mean(embed(tuple(words)), axis=0) for words in drawn.tolist()])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--fixed", action="store_true", help="the cache has a size")
    args = parser.parse_args()
    keras.utils.set_random_seed(155)
    model = keras.Sequential([keras.Input((WIDTH,)), keras.layers.Dense(16, "gelu"), keras.layers.Dense(1)])
    model.compile("adam", "mse")
    stream = batches(embedder(64 if args.fixed else None), np.random.default_rng(155))
    for _ in range(args.epochs):
        rows = tf.concat([next(stream) for _ in range(4)], axis=0)
        model.fit(rows, tf.reduce_sum(rows, axis=1), epochs=1, verbose=0)
    print("rounds:", args.epochs)


main()
