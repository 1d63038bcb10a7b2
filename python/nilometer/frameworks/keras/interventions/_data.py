"""What kind of data `fit` was given.

In: its `x`. Out: `arrays`, `generator`, `sequence`, `dataset` or `other`.
Never: a batch taken from it, or an import.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def kind_of(data: Any) -> str:
    """The kind, by what its class is called and can do."""
    bases = {f"{kind.__module__.partition('.')[0]}.{kind.__name__}" for kind in type(data).__mro__}
    if bases & {"keras.PyDataset", "keras.Sequence", "tf_keras.Sequence"}:
        return "sequence"
    if "tensorflow.DatasetV2" in bases:
        return "dataset"
    if isinstance(data, (list, tuple, dict)) or hasattr(data, "__array__"):
        return "arrays"
    return "generator" if hasattr(data, "__next__") else "other"
