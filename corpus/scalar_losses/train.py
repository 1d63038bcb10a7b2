"""A custom loop in eager mode that collects the loss of every step to plot it."""

import argparse

import keras
import numpy as np
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--fixed", action="store_true", help="keeps floats, not tensors")
parser.add_argument("--steps", type=int, default=1500)
args = parser.parse_args()

keras.utils.set_random_seed(109)
rng = np.random.default_rng(109)
x = tf.constant(rng.random((4000, 12)), tf.float32)
y = tf.reduce_sum(x, axis=1, keepdims=True)

model = keras.Sequential([keras.Input((12,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
optimizer = keras.optimizers.SGD(0.01)
optimizer.build(model.trainable_variables)


@tf.function
def train_step(batch, target):
    with tf.GradientTape() as tape:
        error = tf.square(model(batch, training=True) - target)
        loss = tf.reduce_mean(error)
    optimizer.apply_gradients(
        zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables, strict=True)
    )
    return loss, error


losses = []
errors = []
for step in range(args.steps):
    start = step * 250 % 4000
    loss, error = train_step(x[start : start + 250], y[start : start + 250])
    losses.append(float(loss))
    errors.append(float(tf.reduce_max(error)) if args.fixed else error)
print(f"{len(losses)} losses, last {losses[-1]:.4f}; {len(errors)} errors")
