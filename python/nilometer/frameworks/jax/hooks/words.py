"""Why JAX compiles a function once more, where nothing of its arguments tells it.

In: nothing. Out: a reason; the diagnosis reads reasons.
Never: a decision.
"""

from __future__ import annotations

WRAPPED = "wrapped anew each time, as by functools.partial or jax.vmap"
ALIKE = "arguments that look the same"
