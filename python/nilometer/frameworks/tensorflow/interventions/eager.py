"""Eager instead of graph: what would be traced into a graph runs as plain Python.

What: models train, and `tf.function`s run, operation by operation.
How: `compile` is told `run_eagerly=True`, and TensorFlow to run all functions eagerly.
Proves: tracing keeps the memory: graphs that are made again and again.
"""

from __future__ import annotations

from nilometer.frameworks.tensorflow.interventions import _eagerness


def install(_: str) -> None:
    """Runs all of it eagerly."""
    _eagerness.set_to(True, "eager")
