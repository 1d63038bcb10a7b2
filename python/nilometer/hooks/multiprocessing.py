"""What is wrapped in `multiprocessing`: the start of a process, to say which of the program's children it is.

In: the module `multiprocessing.process`. Out: a child's pid and what it is for.
Never: anything in the child.
"""

from __future__ import annotations

import sys

from nilometer import _native
from nilometer.hooks.wrapping import forget_frame, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

# The modules of Keras (3, then 2) that start workers which load batches.
_LOADERS = (".py_dataset_adapter", ".utils.data_utils")


def install(name: str, module: ModuleType) -> None:
    """Wraps the start of every process that `multiprocessing` makes."""
    replace(module.BaseProcess, "start", _start)


def _start(original: Any) -> Any:
    def start(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        try:
            result = original(self, *args, **kwargs)
        except BaseException as error:
            forget_frame(error)
            raise
        pid = self.pid
        if isinstance(pid, int):
            _native.child(pid, _role(str(self.name)))
        return result

    return start


def _role(name: str) -> str:
    frame = sys._getframe(2)
    while frame is not None:
        module = frame.f_globals.get("__name__", "")
        if isinstance(module, str) and "keras" in module and module.endswith(_LOADERS):
            return "PyDataset worker"
        frame = frame.f_back  # type: ignore[assignment]
    return name
