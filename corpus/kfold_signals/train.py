"""Cross-validation of a small convolutional model of signals; each fold has a model of its own."""

import argparse
import gc

import numpy as np
import tensorflow as tf

FEATURES, STEPS = 6, 24


def convolutional():
    inputs = tf.keras.Input((STEPS, FEATURES))
    state = tf.keras.layers.Conv1D(8, 5, activation="relu")(inputs)
    state = tf.keras.layers.GlobalMaxPooling1D()(state)
    model = tf.keras.Model(inputs, tf.keras.layers.Dense(1)(state))
    model.compile("adam", "mae")
    return model


def folds(samples, count):
    for chunk in np.array_split(np.arange(samples), count):
        yield np.setdiff1d(np.arange(samples), chunk), chunk


def main():
    cli = argparse.ArgumentParser()
    cli.add_argument("--folds", type=int, default=12)
    cli.add_argument("--fixed", action="store_true", help="one model whose weights and optimizer are reset")
    cli = cli.parse_args()
    tf.keras.utils.set_random_seed(113)
    x = np.random.default_rng(113).random((120, STEPS, FEATURES), dtype="float32")
    y = x[:, -1, :1]

    def reset(model):
        for variable, value in zip(model.variables + model.optimizer.variables, start, strict=True):
            variable.assign(value)

    scores = []
    model = convolutional() if cli.fixed else None
    if model:
        model.optimizer.build(model.trainable_variables)
        start = [variable.numpy() for variable in model.variables + model.optimizer.variables]
    for train, test in folds(len(x), cli.folds):
        if cli.fixed:
            reset(model)
        else:
            tf.keras.backend.clear_session()
            model = convolutional()
        model.fit(x[train], y[train], epochs=2, batch_size=30, verbose=0)
        scores.append(float(model.test_on_batch(x[test], y[test])))
        if not cli.fixed:
            del model
            gc.collect()
    print(f"{len(scores)} folds")


if __name__ == "__main__":
    main()
