"""How a plan calls data that come batched.

In: the kind of data. Out: a few words, which the plan's sentences have in the place of a batch.
Never: a sentence; those are the plan's own.
"""

from __future__ import annotations

_DATA = {
    "generator": "a generator",
    "sequence": "a PyDataset or Sequence",
    "dataset": "a tf.data data set",
    "other": "a loader",
}


def data(kind: str) -> str:
    """A kind that has no words here stands for itself."""
    return _DATA.get(kind, kind)
