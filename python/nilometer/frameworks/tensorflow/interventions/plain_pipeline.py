"""The data as it is, but without cache, shuffle and prefetch.

What: `tf.data` pipelines of the program give the same elements, in their own order, each made when it is
asked for.
How: the three methods of data sets give back the data set itself.
Proves: a buffer or a cache of the pipeline holds the memory; the program may only have filled it.
"""

from __future__ import annotations

from nilometer.hooks.wrapping import replace
from nilometer.interventions import acted
from nilometer.interventions._imports import after_import

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

MODULE = "tensorflow.python.data.ops.dataset_ops"
METHODS = ("cache", "shuffle", "prefetch")


def install(_: str) -> None:
    """Takes the work out of the three methods."""
    after_import(MODULE, _change)


def _change(module: ModuleType) -> None:
    def make(original: Any) -> Any:
        def itself(self: Any, /, *args: Any, **kwargs: Any) -> Any:
            acted("plain-pipeline")
            return self

        return itself

    for name in METHODS:
        replace(module.DatasetV2, name, make)
