"""Why TensorFlow traces a function once more, where nothing of its arguments tells it.

In: nothing. Out: a reason; the diagnosis reads reasons.
Never: a decision.
"""

from __future__ import annotations

WRAPPED = "wrapped by tf.function anew each time"
OTHER_CONTEXT = "the same arguments in another context: a device, strategy or graph"
