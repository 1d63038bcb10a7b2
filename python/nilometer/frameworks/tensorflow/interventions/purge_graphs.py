"""Without the caches of TensorFlow that are known to hold graphs for ever.

What: at the end of each cycle, what these caches took in since the program's first cycle is thrown out.
How: entries of the gradient registry that a trace made (`CustomGradient-...`) and Python functions that data
sets call are deleted but for the last, the caches of eager kernels and of numbers that became tensors are
cleared, and a collection frees what they held. A function that was traced may need its entry to be traced
or differentiated again: this is for measuring, not for keeping.
Proves: models, traces, metrics, generators or numbers that the program made and let go of stay in there.
The change is to make fewer.
"""

from __future__ import annotations

import gc
import sys

from nilometer.interventions import acted
from nilometer.interventions._cycles import before_cycle

_known: set[str] | None = None
_functions: int | None = None


def install(_: str) -> None:
    """Purges before each cycle is counted."""
    before_cycle(_purge)


def _purge() -> None:
    global _known, _functions
    ops = sys.modules.get("tensorflow.python.framework.ops")
    context = sys.modules.get("tensorflow.python.eager.context")
    if ops is None or context is None:
        return
    entries = ops.gradient_registry._registry
    made = [name for name in entries if name.startswith("CustomGradient-")]
    if _known is None:
        _known = set(made)
    # Those of functions that are alive are needed again when they run: the last ones stay.
    for name in made[:-_KEPT]:
        if name not in _known:
            del entries[name]
    # `from_generator` and `py_function` leave their functions with the graph that is there without any.
    functions = getattr(ops.get_default_graph(), "_py_funcs_used_in_graph", [])
    if _functions is None:
        _functions = len(functions)
    del functions[_functions:-_CALLED]
    context.context().clear_kernel_cache()
    # Of numbers that became tensors, of zeros and ones for gradients.
    getattr(context.context(), "_clear_caches", int)()
    acted("purge-graphs")
    gc.collect()


# Entries of the last traces; a training step makes two.
_KEPT = 4
# Functions of the last data sets, which may be read: each `from_generator` has three or four.
_CALLED = 12
