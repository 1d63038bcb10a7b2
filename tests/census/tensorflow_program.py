"""TensorFlow's tensors and variables: bytes and shapes read without a call, beside what TensorFlow says."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf
from scan_door import forget, grown, run_checks, scan, sizes


def owned(thing: object) -> list[int]:
    """Bytes of its buffers, largest first."""
    return sorted((size for _, size, _ in sizes(thing)["buffers"]), reverse=True)


def check_tensors_are_read() -> None:
    shapes = [(), (1,), (7,), (2000, 7), (3, 70_000, 2), (1, 2, 3, 4, 5, 6), (1, 2, 3, 4, 5, 6, 7, 8)]
    for kind in (tf.float32, tf.float64, tf.int8, tf.int64, tf.bool, tf.bfloat16, tf.complex128):
        for shape in shapes:
            tensor = tf.cast(tf.zeros(shape), kind)
            size = int(np.prod(shape)) * kind.size
            assert size in owned(tensor), (kind, shape, sizes(tensor))
            assert sum(owned(tensor)) - size < 1000
            if len(shape) <= 6:
                one = f"({shape[0]},)" if len(shape) == 1 else str(shape)
                assert sizes(tensor)["words"] == f"EagerTensor {one} {kind.name}", sizes(tensor)
    for empty in (tf.zeros((0, 5)), tf.constant([], tf.string)):
        assert sum(owned(empty)) < 1000


def check_computed_tensors_have_addresses_of_their_own() -> None:
    first, second = tf.random.normal((100, 100)), tf.random.normal((100, 100))
    addresses = [
        at for tensor in (first, second) for at, size, _ in sizes(tensor)["buffers"] if size == 40_000
    ]
    assert len(set(addresses)) == 2
    assert all(addresses)


def check_rows_keep_the_whole_tensor() -> None:
    whole = tf.random.normal((1000, 128))
    data = next(at for at, size, _ in sizes(whole)["buffers"] if size == 512_000)
    for rows in (whole[:2], whole[16:32], whole[16:32][4:]):
        assert (data, 512_000) in [(at, size) for at, size, _ in sizes(rows)["buffers"]], sizes(rows)
    assert sizes(whole[:2])["words"] == "EagerTensor (2, 128) float32"
    # Columns are copied, and rows that begin where no vector of the processor's does.
    assert max(owned(whole[:, :3])) == 12_000


def check_variables_are_read() -> None:
    for shape in ((), (7,), (1000, 50)):
        for kind in (tf.float32, tf.int64):
            variable = tf.Variable(tf.zeros(shape, kind))
            assert int(np.prod(shape)) * kind.size in owned(variable), sizes(variable)


def check_growing_lists() -> None:
    losses: list[Any] = []
    kept: list[Any] = []
    variables: list[Any] = []
    tapes: list[Any] = []
    datasets: list[Any] = []
    iterators: list[Any] = []
    arrays: list[Any] = []
    forget()
    for number in range(4):
        losses.extend(tf.constant(float(part)) * 2 for part in range(200))
        kept.append(tf.random.normal((100, 1000)))
        variables.append(tf.Variable(np.zeros((1000, 50), "f4")))
        with tf.GradientTape() as tape:
            tape.watch(kept[-1])
            tf.reduce_sum(kept[-1] * number)
        tapes.append(tape)
        datasets.append(tf.data.Dataset.from_tensor_slices(np.zeros((1000, 100), "f4")))
        iterators.append(iter(datasets[-1]))
        # numpy looks at the tensor's memory, and is the last who keeps it.
        arrays.append(np.asarray(tf.random.normal((100, 1000))))
        assert not arrays[-1].flags.owndata
        result = scan()
    assert abs(grown(kept, result)["bytes"] - 400_000) < 2000, grown(kept, result)
    assert abs(grown(variables, result)["bytes"] - 200_000) < 4000, grown(variables, result)
    assert abs(grown(arrays, result)["bytes"] - 400_000) < 2000, grown(arrays, result)
    one = grown(losses, result)
    assert one["elements"] == "200 x EagerTensor () float32", one
    assert one["bytes"] > 200 * 400, one
    for container in (tapes, datasets, iterators):
        assert grown(container, result)["native"], grown(container, result)
    types = {name.rsplit(".", 1)[-1]: change for name, _, change in result["types"]}
    assert types["EagerTensor"] >= 201
    assert types["Tape"] == 1
    assert types["OwnedIterator"] == 1


def check_a_tensor_that_is_not_ready_is_not_waited_for() -> None:
    """Its operation waits for the GIL, which the census holds: whoever waits for it, waits for ever."""
    from tensorflow.python.eager import context, executor

    computed: list[Any] = []
    with context.executor_scope(executor.new_executor(enable_async=True)):
        for number in range(3):
            pending = tf.py_function(lambda number=number: tf.zeros((100,)) + number, [], tf.float32)
            computed.append(pending)
            sizes(pending)
            scan()
    assert len(computed) == 3


run_checks(globals())
