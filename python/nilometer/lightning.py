"""A callback for Lightning: `Trainer(callbacks=[nilometer.lightning.Memory()])`.

In: a `fit` of `lightning.pytorch` or `pytorch_lightning`. Out: two metrics, logged as the module logs its
own; the verdict at the end.
Never: a hook that is called per batch; a recording on another rank than the first one.
"""

from __future__ import annotations

from nilometer.frameworks.lightning.callback import Memory
from nilometer.training.leaks import LeakWarning

__all__ = ["LeakWarning", "Memory"]
