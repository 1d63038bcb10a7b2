"""Meta-learning on sine tasks: each task has an optimizer and a compiled step of its own."""

import argparse

import keras
import numpy as np
import tensorflow as tf


def learner():
    return keras.Sequential([keras.Input((1,)), keras.layers.Dense(40, "tanh"), keras.layers.Dense(1)])


def make_step(model):
    optimizer = keras.optimizers.Adam(0.01)
    optimizer.build(model.trainable_variables)

    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(model(x) - y))
        optimizer.apply_gradients(
            zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables, strict=True)
        )
        return loss

    return step, optimizer


def task(rng):
    x = rng.uniform(-5, 5, (20, 1)).astype("float32")
    return tf.constant(x), tf.constant(rng.uniform(0.1, 5) * np.sin(x + rng.uniform(0, np.pi)))


parser = argparse.ArgumentParser()
parser.add_argument("--tasks", type=int, default=24)
parser.add_argument("--fixed", action="store_true", help="one step for all tasks, its optimizer reset")
args = parser.parse_args()

keras.utils.set_random_seed(120)
rng = np.random.default_rng(120)
model = learner()
meta = model.get_weights()
step, optimizer = make_step(model)
fresh = [variable.numpy() for variable in optimizer.variables]
for number in range(args.tasks):
    model.set_weights(meta)
    if args.fixed:
        for variable, value in zip(optimizer.variables, fresh, strict=True):
            variable.assign(value)
    elif number:
        step, optimizer = make_step(model)
    x, y = task(rng)
    for _ in range(4):
        step(x, y)
    meta = [0.9 * old + 0.1 * new for old, new in zip(meta, model.get_weights(), strict=True)]
print(f"{args.tasks} tasks, {sum(weight.size for weight in meta)} weights")
