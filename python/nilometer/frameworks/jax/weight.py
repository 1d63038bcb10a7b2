"""What an array of JAX weighs.

In: a value. Out: bytes, or None for a value of another kind.
Never: a look at the values of an array.
"""

from __future__ import annotations

from nilometer.hooks import weight

weigh = weight.of_shape
