"""A Keras job that keeps something in each way that people know. Prints what was found, and what is true.

Each keeper keeps arrays of a length of its own, so that bytes tell them apart.
"""

from __future__ import annotations

import collections
import ctypes
import functools
import gc
import json
import queue
import tempfile
import threading
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import keras
import numpy as np
import paths_door as door
import scan_door
import tensorflow as tf

CYCLES = 6
# By path: the owner, and the bytes that are new in each cycle; None where they are native code's.
TRUTH: dict[str, tuple[str, int | None]] = {}


def array(thousands: int) -> Any:
    """So many thousand bytes."""
    return np.zeros(thousands * 125)


def truth(path: str, owner: str, thousands: int | None) -> None:
    """Remembers what should be found."""
    TRUTH[path] = (owner, thousands and 1000 * thousands)


class Keeper(keras.callbacks.Callback):  # type: ignore[misc]
    """Keeps in containers of its own, of its class, of its module."""

    history: ClassVar[list[Any]] = []

    def __init__(self) -> None:
        super().__init__()
        self.saved: list[Any] = []
        self.by_epoch: dict[int, Any] = {}
        self.recent: collections.deque[Any] = collections.deque()
        self.seen: set[Any] = set()
        self.weights: list[Any] = []

    def on_epoch_end(self, epoch: int, logs: object = None) -> None:
        self.saved.append(array(21))
        self.by_epoch[epoch] = array(22)
        self.recent.append(array(23))
        self.seen.add(bytes(24_000 - 50) + str(epoch).encode())
        self.history.append(array(25))
        REGISTRY.append(array(26))
        self.weights.append(self.model.get_weights())


truth("main(): callbacks[0].saved[*]", "Keeper", 21)
truth("main(): callbacks[0].by_epoch[*]", "Keeper", 22)
truth("main(): callbacks[0].recent[*]", "Keeper", 23)
truth("main(): callbacks[0].seen[*]", "Keeper", 24)
truth("Keeper.history[*]", "Keeper", 25)
truth("__main__.REGISTRY[*]", "", 26)
# 4 x 2,000 and 2,000 float32.
truth("main(): callbacks[0].weights[*]", "Keeper", 40)
REGISTRY: list[Any] = []


def closing() -> Callable[..., None]:
    """Gives a function that keeps in a variable of this one."""
    kept: list[Any] = []

    def add(epoch: int, logs: object) -> None:
        kept.append(array(27))

    return add


truth("add(): kept[*]", "add", 27)


@functools.cache
def embedded(word: int) -> Any:
    """A tensor for each word, for ever."""
    return tf.fill([28, 250], float(word))


truth("embedded.<lru cache>[*]", "embedded", 28)


class Loop:
    """A loop of one's own: losses, tapes, errors, data sets, iterators, models."""

    def __init__(self) -> None:
        self.losses: list[Any] = []
        self.tapes: list[Any] = []
        self.errors: list[BaseException] = []
        self.datasets: list[Any] = []
        self.iterators: list[Any] = []
        self.writers: list[Any] = []
        self.tables: list[Any] = []
        self.models: dict[str, Any] = {}
        self.weight = tf.Variable(tf.ones([10, 10]))

    def step(self, number: int) -> None:
        """What a loop does by itself."""
        with tf.GradientTape(persistent=True) as tape:
            loss = tf.reduce_sum(tf.random.normal([29, 250, 1]) * self.weight[0, 0], axis=2)
        self.losses.append(loss)
        self.tapes.append(tape)
        self.datasets.append(tf.data.Dataset.from_tensor_slices(array(31)))
        self.iterators.append(iter(tf.data.Dataset.from_tensor_slices(array(32)).shuffle(4)))
        self.writers.append(tf.summary.create_file_writer(tempfile.mkdtemp(dir=FOLDER.name)))
        self.tables.append(tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1))
        model = keras.Sequential([keras.Input((100,)), keras.layers.Dense(3300)])
        model(np.zeros((1, 100), "f4"))
        self.models[f"request {number}"] = model
        try:
            self.fail()
        except ValueError as error:
            self.errors.append(error)

    def fail(self) -> None:
        """Leaves an array in the traceback."""
        broken = array(34)
        raise ValueError(len(broken))


FOLDER = tempfile.TemporaryDirectory()
LOOP = Loop()
truth("__main__.LOOP.losses[*]", "Loop", 29)
truth("__main__.LOOP.tapes[*]", "Loop", None)
truth("__main__.LOOP.datasets[*]", "Loop", None)
truth("__main__.LOOP.iterators[*]", "Loop", None)
truth("__main__.LOOP.writers[*]", "Loop", None)
truth("__main__.LOOP.tables[*]", "Loop", None)
# 333,300 float32; the model around them is a twentieth of it.
truth("__main__.LOOP.models[*]", "Loop", 1333)
truth("__main__.LOOP.errors[*]", "Loop", 34)


def batches() -> Iterator[Any]:
    """Remembers each batch."""
    yielded: list[Any] = []
    while True:
        yielded.append(array(35))
        yield yielded[-1]


truth("batches(): yielded[*]", "batches", 35)


def collect(tasks: queue.Queue[Any]) -> None:
    """In a thread of its own, which waits."""
    arrived: list[Any] = []
    while (one := tasks.get()) is not None:
        arrived.append(one)
        del one
        tasks.task_done()


truth("collect(): arrived[*]", "collect", 36)


class Looker(keras.callbacks.Callback):  # type: ignore[misc]
    """Looks at the end of each epoch."""

    def __init__(self, others: list[Callable[[int], None]]) -> None:
        super().__init__()
        self.others = others

    def on_epoch_end(self, epoch: int, logs: object = None) -> None:
        for other in self.others:
            other(epoch)
        seen = scan_door.scan_with_paths(epoch)["grown"]
        FOUND.clear()
        FOUND.update({one["path"]: one for one in seen if one["path"]})
        if epoch == CYCLES - 1:
            kept = [array(37)]
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(kept))
            block = (1, kept[0].ctypes.data, kept[0].nbytes)
            del kept
            whole = door.whole([block])
            LOOKED.update(
                {
                    "only C": [[one["class"], one["retained"], one["ids"]] for one in whole["holders"]],
                    "cut": whole["cut"],
                }
            )


FOUND: dict[str, Any] = {}
LOOKED: dict[str, Any] = {}


def main() -> None:
    """All of them at once."""
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(2000)])
    model.compile("sgd", "mse")
    tasks: queue.Queue[Any] = queue.Queue()
    threading.Thread(target=collect, args=(tasks,), daemon=True).start()
    stream = batches()

    def put(epoch: int) -> None:
        tasks.put(array(36))
        tasks.join()

    others = [LOOP.step, lambda epoch: embedded(epoch) is None, lambda epoch: next(stream) is None, put]
    closed = keras.callbacks.LambdaCallback(on_epoch_end=closing())
    callbacks = [Keeper(), closed, Looker(others)]
    x, y = np.zeros((64, 4), "float32"), np.zeros((64, 2000), "float32")
    gc.disable()
    model.fit(x, y, epochs=CYCLES, verbose=0, callbacks=callbacks)
    found = {path: [one["owner"], one["bytes"], one["native"]] for path, one in FOUND.items()}
    print(json.dumps({"found": found, "truth": TRUTH, **LOOKED}))


main()
