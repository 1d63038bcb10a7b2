"""Inference on batches that are never twice of one size: every call is traced anew and kept."""

import argparse

import keras
import numpy as np
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--calls", type=int, default=120)
parser.add_argument("--pad", action="store_true", help="the mended twin: batches are padded to one size")
args = parser.parse_args()

keras.utils.set_random_seed(15)
rng = np.random.default_rng(15)
images = rng.random((1 + args.calls, 16, 16, 3)).astype("float32")

model = keras.Sequential(
    [
        keras.layers.Input((16, 16, 3)),
        keras.layers.Conv2D(8, 3, activation="relu"),
        keras.layers.GlobalAveragePooling2D(),
        keras.layers.Dense(4),
    ]
)


@tf.function
def infer(batch):
    return model(batch, training=False)


total = 0.0
for call in range(args.calls):
    batch = images[: 1 + call]
    if args.pad:
        batch = np.pad(batch, ((0, args.calls - call), (0, 0), (0, 0), (0, 0)))
    total += float(tf.reduce_sum(infer(tf.constant(batch))))
print(f"sum {total:.3f}")
