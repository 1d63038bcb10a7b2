"""Cells of a notebook: in an IPython shell, and in a program that drives a kernel (nbclient, papermill).

In: the module that has the shell's or the client's class. Out: a phase and a cycle per cell that a person
ran, and facts by which runs of the same cell are known. Which of them are told together, the diagnosis says.
Never: a cycle for what a front end runs silently, for itself, or for a cell without code; a source that is
kept, but that of a cell that ran again.
"""

from __future__ import annotations

import json

from nilometer import _native
from nilometer.hooks import marks, probes
from nilometer.hooks.cells import Stretches
from nilometer.hooks.weight import size_of
from nilometer.hooks.wrapping import forget_frame, replace, wrap_async_then, wrap_then

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any

# Cells of which facts are said; those after them are told of no more.
_MAX_CELLS = 4096
# Sources that are said, so that lines can be shown, and the longest of them (letters).
_MAX_SOURCES = 64
_LONGEST_SOURCE = 8192
# The runs of one cell from which on its source is said.
_RUNS_OF_SOURCE = 3

# Who wants to know of cells: the number, the source, live memory before and after.
listeners: list[Callable[[int, str, int | None, int | None], object]] = []
_watched: list[_Shell] = []


def install(name: str, module: ModuleType) -> None:
    """Watches every shell, those that are there already too, and wraps what a client executes cells with."""
    if name == "IPython.core.interactiveshell":
        replace(module.InteractiveShell, "init_events", _init_events)
        there = getattr(module.InteractiveShell, "_instance", None)
        if there is not None:
            watch(there)
    else:
        # The class made the second of the first: it does not come through the wrapper of the first.
        replace(module.NotebookClient, "async_execute_cell", wrap_async_then(_driven))
        replace(module.NotebookClient, "execute_cell", wrap_then(_driven), needed=False)


def watch(shell: Any) -> None:
    """Hears of the cells of this shell from now on; of one that is watched already nothing changes."""
    if all(one.shell is not shell for one in _watched):
        _watched.append(_Shell(shell))


def forget() -> None:
    """Another recording is told of cells anew."""
    for one in _watched:
        one.forget()


def _init_events(original: Any) -> Any:
    def init_events(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        try:
            result = original(self, *args, **kwargs)
        except BaseException as error:
            forget_frame(error)
            raise
        watch(self)
        return result

    return init_events


class _Shell:
    """One shell, whose events say when cells begin and end."""

    def __init__(self, shell: Any) -> None:
        self.shell = shell
        self.forget()
        shell.events.register("pre_run_cell", self.begins)
        shell.events.register("post_run_cell", self.ended)

    def forget(self) -> None:
        self.stretches = Stretches()
        self.cells = 0
        self.said: set[str] = set()
        self.open: tuple[int, str, bool, int | None] | None = None
        # Bytes of each output that is kept, and their sum as it was said last.
        self.outputs: dict[int, int] = {}
        self.output_bytes = 0

    def begins(self, info: Any = None) -> None:
        """A cell begins to run. IPython would show what is raised here."""
        try:
            self._begins(info)
        except Exception as error:
            _native.lost(f"a notebook's cell: {type(error).__name__}")

    def ended(self, result: Any = None) -> None:
        """A cell ended, also by an exception."""
        try:
            self._ended(result)
        except Exception as error:
            _native.lost(f"a notebook's cell: {type(error).__name__}")

    def _begins(self, info: Any) -> None:
        self.open = None
        if not _native.is_recording() or not _is_a_persons(info):
            return
        number, source, is_told = _number(self.shell), str(info.raw_cell), False
        if self.cells < _MAX_CELLS:
            self.cells += 1
            file = _file(self.shell, source, number)
            cell = {"stretch": self.stretches.begin(source), "file": file}
            _native.fact(f"cell.{number}", json.dumps(cell))
            if self.stretches.runs(source) == _RUNS_OF_SOURCE:
                self._say_source(file, source)
            is_told = marks.user_begin(_phase(number))
        elif self.cells == _MAX_CELLS:
            self.cells += 1
            # No stretch: what comes from here on is told together with nothing.
            _native.fact("cell.0", json.dumps({"stretch": 0}))
        self.open = (number, source, is_told, _native.read_now())

    def _ended(self, result: Any) -> None:
        opened, self.open = self.open, None
        if opened is None:
            return
        number, source, is_told, before = opened
        self._weigh_output(number, getattr(result, "result", None))
        # First of all: the cycle has this reading too, whatever readings of other cycles have cost.
        after = _native.read_now()
        if is_told:
            probes.cycle(marks.CELL)
            _native.phase_end(_phase(number))
        left = after - before if after is not None and before is not None else None
        self.stretches.end(source, left)
        for listen in tuple(listeners):
            listen(number, source, before, after)

    def _weigh_output(self, number: int, value: object) -> None:
        """Says how much the results weigh that are kept: nobody may be seen to hold them in time."""
        kept = self.shell.user_ns.get("_oh")
        if not isinstance(kept, dict):
            return
        if number in kept:
            self.outputs[number] = size_of(value)
        self.outputs = {one: size for one, size in self.outputs.items() if one in kept}
        now = sum(self.outputs.values())
        if now != self.output_bytes:
            self.output_bytes = now
            _native.probe("notebook_output_bytes", now)

    def _say_source(self, file: str, source: str) -> None:
        if file and file not in self.said and len(self.said) < _MAX_SOURCES:
            self.said.add(file)
            if len(source) <= _LONGEST_SOURCE:
                _native.fact(f"source.{file}", source)


def _number(shell: Any) -> int:
    """What the notebook shows beside the cell that begins. From IPython 9 on it counts before it says so."""
    count = int(shell.execution_count)
    inputs = shell.user_ns.get("In")
    told = len(inputs) if isinstance(inputs, list) else count
    return told if count - told in (0, 1) else count


def _phase(number: int) -> str:
    return f"In [{number}]"


def _is_a_persons(info: Any) -> bool:
    source = getattr(info, "raw_cell", None)
    is_kept = getattr(info, "store_history", False) and not getattr(info, "silent", False)
    return bool(is_kept) and isinstance(source, str) and bool(source.strip()) and not _is_ours(source)


def _is_ours(source: str) -> bool:
    """Whether a cell only asks us something."""
    lines = [line.strip() for line in source.strip().splitlines()]
    return all(line.startswith(("%nilometer", "%load_ext nilometer", "#")) or not line for line in lines)


def _file(shell: Any, source: str, number: int) -> str:
    """The file name that the code of a cell gets; empty where this version does not say."""
    try:
        name = shell.compile.get_code_name(source, source, number)
    except Exception:
        return ""
    return name if isinstance(name, str) else ""


def _driven(*args: Any, **kwargs: Any) -> None:
    cell = args[1] if len(args) > 1 else kwargs.get("cell")
    source = getattr(cell, "source", "")
    if getattr(cell, "cell_type", "") == "code" and isinstance(source, str) and source.strip():
        probes.cycle(marks.CELL)
