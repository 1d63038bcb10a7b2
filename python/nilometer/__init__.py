"""Nilometer: does this program leak memory, where, and since when.

Run a program with `nilometer run train.py`; nothing needs to be imported. For a loop that no framework knows,
marks can be set by hand; they do nothing, at next to no cost, when the program runs without Nilometer:

    nilometer.cycle()                  # one step of my loop has ended
    with nilometer.phase("loading"):   # or @nilometer.phase("loading") above a function
        ...
    nilometer.census()                 # who holds the memory, just now

A program may record itself, and read what a run was found to do:

    with nilometer.start() as recording:
        train()
    print(recording.report())
    print(nilometer.check(lambda: model.predict(x)))
    report = nilometer.read("nilometer-train.py.4711.nilo")
    model.fit(x, y, callbacks=[nilometer.keras.Memory()])

This module must stay light: it is imported at interpreter start, and by programs that run on their own.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Any, Literal, TypeVar

    from nilometer.api import (
        DamagedCaptureError,
        MissingCaptureError,
        NewerCaptureError,
        NotACaptureError,
        Recording,
        RecordingError,
        Report,
        ReportError,
        check,
        read,
        start,
    )

    _Function = TypeVar("_Function", bound=Callable[..., Any])

__all__ = [
    "DamagedCaptureError",
    "MissingCaptureError",
    "NewerCaptureError",
    "NotACaptureError",
    "Recording",
    "RecordingError",
    "Report",
    "ReportError",
    "__version__",
    "census",
    "check",
    "cycle",
    "phase",
    "read",
    "start",
]
__version__ = "0.2.0"

# Modules with a callback for the framework of their name, and the guard's.
_MODULES = ("guard", "keras", "lightning", "transformers")
_UNITS = {"step": 8, "request": 7}
# Filled in when the program runs under `nilometer run`.
_mark_cycle: Callable[[int, str | None], None] | None = None
_mark_begin: Callable[[str], bool] | None = None
_mark_end: Callable[[str], None] | None = None
_look: Callable[[], None] | None = None


def cycle(unit: Literal["step", "request"] = "step", of: str | None = None) -> None:
    """Marks the end of one cycle of your own loop: a `"step"`, or a `"request"` that was served.

    Memory growth is then told per cycle. Call it once per turn, at its end. `of` names its kind, such as
    `"/predict"`: where kinds come in different numbers, a leak is told per cycle of the kind that makes it.
    Raises `ValueError` for another unit.
    """
    number = _UNITS.get(unit)
    if number is None:
        from nilometer import _words

        raise ValueError(_words.wrong_unit(unit))
    if _mark_cycle is not None:
        _mark_cycle(number, of)


def census() -> None:
    """Looks now at who holds the program's memory; `nilometer census FILE` shows what was seen.

    The program waits for it, a tenth of a second where TensorFlow is loaded. Nothing is done at all when the
    program runs without Nilometer.
    """
    if _look is not None:
        _look()


class phase:
    """Names a stretch of the program, as a context manager or as a decorator: growth in it is told by `name`.

    Phases nest. Names of Nilometer's own phases (`import`, `fit`, `epoch`, ...) are better left to it.
    """

    __slots__ = ("_told", "name")

    def __init__(self, name: str) -> None:
        self.name = name
        self._told = 0

    def __enter__(self) -> phase:
        if _mark_begin is not None and _mark_begin(self.name):
            self._told += 1
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._told and _mark_end is not None:
            self._told -= 1
            _mark_end(self.name)

    def __call__(self, function: _Function) -> _Function:
        import functools

        name = self.name
        code = getattr(function, "__code__", None)
        if code is not None and code.co_flags & 0x80:  # a coroutine function: until it has been awaited

            @functools.wraps(function)
            async def awaited(*args: Any, **kwargs: Any) -> Any:
                with phase(name):
                    return await function(*args, **kwargs)

            return awaited  # type: ignore[return-value]

        @functools.wraps(function)
        def called(*args: Any, **kwargs: Any) -> Any:
            with phase(name):
                return function(*args, **kwargs)

        return called  # type: ignore[return-value]


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext nilometer`: records this notebook's kernel, and adds `%nilometer` and its kin."""
    from nilometer import jupyter

    jupyter.load(shell)


def unload_ipython_extension(shell: Any) -> None:
    """`%unload_ext nilometer`: ends the recording that `%load_ext` began."""
    from nilometer import jupyter

    jupyter.unload(shell)


def __getattr__(name: str) -> Any:
    """What reads reports is loaded when it is asked for: most programs only set marks, if that."""
    if name in __all__:
        from nilometer import api

        globals()[name] = value = getattr(api, name)
        return value
    if name in _MODULES:
        import importlib

        return importlib.import_module(f"nilometer.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
