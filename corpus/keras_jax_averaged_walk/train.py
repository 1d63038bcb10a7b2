"""Keras on JAX with a loop of its own: the weights of all epochs are averaged at the end of the walk."""

import argparse
import os

os.environ["KERAS_BACKEND"] = "jax"

import jax
import keras
import numpy as np


def network():
    return keras.Sequential(
        [
            keras.Input((60,)),
            keras.layers.Dense(240, activation="gelu"),
            keras.layers.LayerNormalization(),
            keras.layers.Dense(240, activation="gelu"),
            keras.layers.Dense(1),
        ]
    )


def make_step(model, optimizer, loss_of):
    def loss(trainable, fixed, x, y):
        answers, fixed = model.stateless_call(trainable, fixed, x, training=True)
        return loss_of(y, answers), fixed

    @jax.jit
    def step(trainable, fixed, moments, x, y):
        (value, fixed), slopes = jax.value_and_grad(loss, has_aux=True)(trainable, fixed, x, y)
        trainable, moments = optimizer.stateless_apply(moments, slopes, trainable)
        return trainable, fixed, moments, value

    return step


def walk(model, x, y, epochs, rng):
    """Yields the loss and the weights after each epoch."""
    optimizer = keras.optimizers.SGD(0.02, momentum=0.9)
    optimizer.build(model.trainable_variables)
    step = make_step(model, optimizer, keras.losses.MeanSquaredError())
    trainable = [variable.value for variable in model.trainable_variables]
    fixed = [variable.value for variable in model.non_trainable_variables]
    moments = [variable.value for variable in optimizer.variables]
    for _ in range(epochs):
        total = 0.0
        for chosen in np.array_split(rng.permutation(len(x)), len(x) // 64):
            trainable, fixed, moments, value = step(trainable, fixed, moments, x[chosen], y[chosen])
            total += float(value)
        yield total / (len(x) // 64), trainable


def average_of_list(steps):
    visited = []
    for epoch, (value, weights) in enumerate(steps):
        visited.append(weights)
        print(f"epoch {epoch}: {value:.4f}", flush=True)
    return [sum(same) / len(visited) for same in zip(*visited, strict=True)]


def average_as_we_go(steps):
    mean = None
    for epoch, (value, weights) in enumerate(steps):
        if mean is None:
            mean = list(weights)
        mean = [m + (w - m) / (epoch + 1) for m, w in zip(mean, weights, strict=True)]
        print(f"epoch {epoch}: {value:.4f}", flush=True)
    return mean


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=28)
    parser.add_argument("--fixed", action="store_true", help="averages as it goes")
    args = parser.parse_args()
    keras.utils.set_random_seed(321)
    rng = np.random.default_rng(321)
    x = rng.normal(size=(6_400, 60)).astype("float32")
    y = np.sin(x[:, :5].sum(axis=1, keepdims=True)).astype("float32")
    model = network()
    average = average_as_we_go if args.fixed else average_of_list
    for variable, value in zip(
        model.trainable_variables, average(walk(model, x, y, args.epochs, rng)), strict=True
    ):
        variable.assign(value)
    print(f"average: {float(np.mean((model.predict_on_batch(x[:2000]) - y[:2000]) ** 2)):.4f}")
