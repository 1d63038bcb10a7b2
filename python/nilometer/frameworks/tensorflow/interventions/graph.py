"""Graph instead of eager: what the program asked to run operation by operation is traced and run as a graph.

What: models train, and `tf.function`s run, as graphs.
How: `compile` is told `run_eagerly=False`, and TensorFlow not to run functions eagerly.
Proves: eager work keeps the memory: tensors, tapes or callbacks that see values where a graph would have
none.
"""

from __future__ import annotations

from nilometer.frameworks.tensorflow.interventions import _eagerness


def install(_: str) -> None:
    """Runs all of it as graphs."""
    _eagerness.set_to(False, "graph")
