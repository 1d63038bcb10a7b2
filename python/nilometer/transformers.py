"""A callback for the `Trainer` of transformers: `Trainer(..., callbacks=[nilometer.transformers.Memory()])`.

In: a `train()`. Out: two metrics in what is logged and in `state.log_history`; the verdict at the end.
Never: a method that is called per step; a recording in another process than the first one.
"""

from __future__ import annotations

from nilometer.frameworks.transformers.callback import Memory
from nilometer.training.leaks import LeakWarning

__all__ = ["LeakWarning", "Memory"]
