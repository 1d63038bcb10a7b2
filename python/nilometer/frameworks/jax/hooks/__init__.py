"""What is hooked in JAX: its own count of compilations, and what was compiled.

In: the module that holds JAX's listeners. Out: the probe `jax_compiles`, a record per compiled call, and a
look at the counts at ticks.
Never: a wrapper around what `jax.jit` returns: programs look at it, and it is C++ that cannot be patched.
"""

from __future__ import annotations

import sys

from nilometer.frameworks.jax.hooks import retraces
from nilometer.hooks import alive, probes, ticks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

_COMPILED = "/jax/core/compile/backend_compile_duration"


def install(name: str, module: ModuleType) -> None:
    """Registers the listener."""
    module.register_event_duration_secs_listener(_lasted)
    # Loops around a jitted step have no cycle in Python that a hook sees end.
    ticks.add(probes.look_if_due)


def _lasted(event: str, duration: float, **kwargs: Any) -> None:
    if event == _COMPILED:
        alive.count("jax_compiles")
        retraces.tell(sys._getframe(1))
        # Ticks are rare once printed lines or turns are read as cycles.
        probes.look_if_due()
