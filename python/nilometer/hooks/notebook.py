"""Cells of a notebook, and lines of an IPython shell.

In: the module that has the shell's class. Out: one cycle per cell that a person ran.
Never: a cycle for what a front end runs silently, for itself.
"""

from __future__ import annotations

from nilometer.hooks import marks, probes
from nilometer.hooks.wrapping import forget_frame, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any


def install(name: str, module: ModuleType) -> None:
    """Registers with every shell that is made, when it has made its events."""
    replace(module.InteractiveShell, "init_events", _init_events)


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
