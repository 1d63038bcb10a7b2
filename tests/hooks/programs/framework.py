"""The Keras that NILOMETER_TEST_KERAS names, under one name for every version."""

import os
import sys

import numpy as np

which = os.environ.get("NILOMETER_TEST_KERAS", "keras")
if which == "tf.keras":
    import tensorflow as tf

    keras = tf.keras
elif which == "tf_keras":
    import tf_keras as keras
else:
    import keras

rng = np.random.default_rng(0)
X = rng.random((64, 4), dtype=np.float32)
Y = rng.random((64, 1), dtype=np.float32)


def make(compiled=True):
    """Two layers, functional, so that every Keras makes exactly one model."""
    inputs = keras.Input((4,))
    model = keras.Model(inputs, keras.layers.Dense(1)(keras.layers.Dense(3, activation="relu")(inputs)))
    if compiled:
        model.compile(loss="mse", optimizer="sgd")
    return model


def program(function):
    """Runs the function if the command line names it; of several, each begins with its name."""
    names = sys.argv[1:]
    if function.__name__ in names:
        if len(names) > 1:
            _begin(function.__name__)
        function()
    return function


def _begin(name):
    for stream in (sys.stdout, sys.stderr):
        print(f"begun {name}", file=stream, flush=True)
    native = sys.modules.get("nilometer._native")
    if native is not None:
        native.fact("case", name)
