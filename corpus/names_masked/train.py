"""Reviews are stripped of their authors' names before the model sees them, one author after the other."""

import argparse

import keras
import numpy as np
import tensorflow as tf

WORDS = np.array(["good", "bad", "fine", "poor", "loud", "calm", "long", "short", "warm", "cold"])


def review(rng, author):
    return " ".join([author, *rng.choice(WORDS, 30), author])


def masked(texts, author, as_tensor):
    if as_tensor:
        return tf.raw_ops.RegexReplace(input=texts, pattern=author, rewrite="someone")
    return tf.strings.regex_replace(texts, author, "someone")


parser = argparse.ArgumentParser()
parser.add_argument("--days", type=int, default=24)
parser.add_argument("--fixed", action="store_true", help="the pattern is a tensor, no part of the operation")
args = parser.parse_args()

keras.utils.set_random_seed(173)
rng = np.random.default_rng(173)
count = keras.layers.TextVectorization(output_mode="count", vocabulary=[*WORDS, "someone"])
model = keras.Sequential([keras.Input((12,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")
for day in range(args.days):
    texts = []
    for number in range(40):
        author = f"author {day * 40 + number}"
        texts.append(masked(tf.constant([review(rng, author)]), author, args.fixed))
    counted = count(tf.concat(texts, axis=0))
    model.fit(counted, counted[:, :1], epochs=1, batch_size=20, verbose=0)
print(f"{args.days} days")
