"""Counts the records that the program logs into files, as lines that it prints.

In: the module `logging`. Out: one line for each record that a file handler wrote, by the record's message
before its arguments are put in. Records that go to the screen are seen there.
Never: a look at a record's arguments, which may be the program's objects.
"""

from __future__ import annotations

from nilometer import _native
from nilometer.hooks.wrapping import forget_frame, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any


def install(name: str, module: ModuleType) -> None:
    """Wraps what a handler of files does with a record."""
    replace(module.FileHandler, "emit", _emit)


def _emit(original: Any) -> Any:
    def emit(self: Any, /, record: Any) -> Any:
        try:
            result = original(self, record)
        except BaseException as error:
            forget_frame(error)
            raise
        message = record.msg
        if type(message) is str:
            _native.line(message)
        return result

    return emit
