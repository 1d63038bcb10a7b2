"""Cells of a notebook: in an IPython shell, and in a program that drives a kernel (nbclient, papermill).

In: the module that has the shell's or the client's class. Out: one cycle per cell that a person ran.
Never: a cycle for what a front end runs silently, for itself, or for a cell without code.
"""

from __future__ import annotations

from nilometer.hooks import marks, probes
from nilometer.hooks.wrapping import forget_frame, replace, wrap_async_then, wrap_then

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any


def install(name: str, module: ModuleType) -> None:
    """Registers with every shell when it has made its events, and wraps what a client executes cells with."""
    if name == "IPython.core.interactiveshell":
        replace(module.InteractiveShell, "init_events", _init_events)
    else:
        # The class made the second of the first: it does not come through the wrapper of the first.
        replace(module.NotebookClient, "async_execute_cell", wrap_async_then(_driven))
        replace(module.NotebookClient, "execute_cell", wrap_then(_driven), needed=False)


def _init_events(original: Any) -> Any:
    def init_events(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        try:
            result = original(self, *args, **kwargs)
        except BaseException as error:
            forget_frame(error)
            raise
        self.events.register("post_run_cell", _cell_ended)
        return result

    return init_events


def _cell_ended(result: Any) -> None:
    info = getattr(result, "info", None)
    if getattr(info, "store_history", False) and not getattr(info, "silent", False):
        probes.cycle(marks.CELL)


def _driven(*args: Any, **kwargs: Any) -> None:
    cell = args[1] if len(args) > 1 else kwargs.get("cell")
    source = getattr(cell, "source", "")
    if getattr(cell, "cell_type", "") == "code" and isinstance(source, str) and source.strip():
        probes.cycle(marks.CELL)
