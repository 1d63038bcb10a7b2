"""What a framework keeps for good: prints the version, then how much each fault adds in three rounds."""

import ctypes
import gc

import numpy as np
import tensorflow as tf
from tensorflow.python.framework import ops

ROUNDS = 3
DRAWS = 100
X = np.ones((8, 2), "float32")
graph = ops.get_default_graph()


def gradients():
    return len(ops.gradient_registry._registry)


def callbacks():
    return len(getattr(graph, "_py_funcs_used_in_graph", ()))


class Mallinfo(ctypes.Structure):
    _fields_ = tuple((f"word_{number}", ctypes.c_size_t) for number in range(10))


libc = ctypes.CDLL(None)
libc.mallinfo2.restype = Mallinfo


def draws():
    """Memory in use, in tens of kB for each draw of a round: a kernel that stays takes more than one."""
    gc.collect()
    info = libc.mallinfo2()
    in_use = info.word_4 + info.word_7  # mapped blocks and those of the heap
    return in_use // DRAWS // 10_000


def draw():
    for _ in range(DRAWS):
        tf.random.normal((4, 4))


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
kinds = (
    ("gradients", gradients, lambda: compiles(model)),
    ("callbacks", callbacks, reads),
    ("draws", draws, draw),
)
for name, count, act in kinds:
    if name == "draws":
        tf.random.set_seed(3)
    act()
    before = count()
    for _ in range(ROUNDS):
        act()
    gc.collect()
    print(name, count() - before)
