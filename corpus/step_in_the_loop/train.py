"""train_model() decorates its step inside itself, and it is called for every chunk of a big data set."""

import argparse

import keras
import numpy as np
import tensorflow as tf

LOSS = keras.losses.SparseCategoricalCrossentropy(from_logits=True)


def step_for(model, optimizer):
    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            loss = LOSS(y, model(x, training=True))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return loss

    return step


def train_model(model, optimizer, x, y, step=None):
    step = step or step_for(model, optimizer)
    for start in range(0, len(x), 50):
        loss = step(x[start : start + 50], y[start : start + 50])
    return float(loss)


def chunks(count):
    rng = np.random.default_rng(144)
    for _ in range(count):
        x = rng.normal(size=(200, 8)).astype("float32")
        yield x, np.argmax(x[:, :3], axis=1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--chunks", type=int, default=30)
    parser.add_argument("--fixed", action="store_true", help="the step is made once")
    args = parser.parse_args()
    keras.utils.set_random_seed(144)
    model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(16, "relu"), keras.layers.Dense(3)])
    optimizer = keras.optimizers.RMSprop()
    optimizer.build(model.trainable_variables)
    once = step_for(model, optimizer) if args.fixed else None
    losses = [
        train_model(model, optimizer, tf.constant(x), tf.constant(y), once) for x, y in chunks(args.chunks)
    ]
    print(f"{len(losses)} chunks, {min(losses) < losses[0]}")


if __name__ == "__main__":
    main()
