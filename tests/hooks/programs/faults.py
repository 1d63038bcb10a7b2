"""What a framework keeps for good: prints the version, then how much each fault adds in three rounds."""

import gc

import numpy as np
import tensorflow as tf
from tensorflow.python.framework import ops

ROUNDS = 3
X = np.ones((8, 2), "float32")
graph = ops.get_default_graph()


def gradients():
    return len(ops.gradient_registry._registry)


def callbacks():
    return len(getattr(graph, "_py_funcs_used_in_graph", ()))


def compiles(model):
    model.compile("adam", "mse")
    model.fit(X, X[:, :1], verbose=0)


def reads():
    def rows():
        yield X

    spec = tf.TensorSpec((8, 2))
    for _ in tf.data.Dataset.from_generator(rows, output_signature=spec):
        pass


model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
print("version", tf.__version__)
for name, count, act in (("gradients", gradients, lambda: compiles(model)), ("callbacks", callbacks, reads)):
    act()
    before = count()
    for _ in range(ROUNDS):
        act()
    gc.collect()
    print(name, count() - before)
