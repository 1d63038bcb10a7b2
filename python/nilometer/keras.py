"""A callback for Keras: `model.fit(..., callbacks=[nilometer.keras.Memory()])`.

In: a `fit` of Keras 3 on any backend, of `tf.keras`, or of `tf_keras`. Out: two metrics in `logs`, the
verdict at the end.
Never: a method that is called per batch (Keras would call it, and might wait for the device); Keras imported
before the program did.
"""

from __future__ import annotations

from nilometer.frameworks.keras.callback import Memory
from nilometer.training.leaks import LeakWarning

__all__ = ["LeakWarning", "Memory"]
