"""Recordings that a program begins itself: `nilometer.start()`.

In: the path of a capture, or none. Out: a `Recording`, which gives reports while it runs and after it.
Never: a second recording beside one that runs; a program that fails because its recording did.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from nilometer.api.errors import RecordingError

if TYPE_CHECKING:
    from types import TracebackType

    from nilometer.api.report import Report

# The longest that a look at the heap may hold the program up, as `nilometer run` has it.
DEFAULT_PAUSE_MS = 150
# Mean bytes between two samples, as `nilometer run` has it.
DEFAULT_SAMPLE_BYTES = 512 << 10
# Captures of one program in one folder, before it is asked for a name.
_MAX_CAPTURES = 1000


class Recording:
    """A recording of this process; end it with `stop()`, or use it as a context manager.

    `path` is its capture. `is_own` is false where `nilometer run` or `nilometer attach` made the recording:
    then it goes on until that ends it, and `stop()` does nothing.
    """

    def __init__(self, path: Path, is_own: bool, has_begun: bool = False) -> None:
        self.path = path
        self.is_own = is_own
        # Of several context managers around each other the outermost one ends the recording.
        self._ends_on_exit = has_begun

    @property
    def is_running(self) -> bool:
        """Whether this process is still recorded into `path`."""
        from nilometer import _hooking, _native

        return _native.is_recording() and _hooking.capture == str(self.path)

    def report(self) -> Report:
        """The report of what was seen so far. Raises `ReportError`."""
        from nilometer.api import read

        return read(self.path)

    def stop(self) -> None:
        """Ends the recording; the capture stays. A second call does nothing."""
        from nilometer import _late

        if self.is_own and self.is_running:
            _late.stop()

    def __enter__(self) -> Recording:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._ends_on_exit:
            self.stop()

    def __repr__(self) -> str:
        state = "running" if self.is_running else "ended"
        return f"<nilometer.Recording {state}: {self.path}>"


def start(
    capture: str | os.PathLike[str] | None = None,
    *,
    overwrite: bool = False,
    census: bool = True,
    max_pause_ms: int = DEFAULT_PAUSE_MS,
    record: bool = False,
    sample: int = DEFAULT_SAMPLE_BYTES,
    name: str | None = None,
) -> Recording:
    """Begins to record this process, from now on, and gives the recording.

    `capture` is the file to write; without it, it is named as `nilometer run` would and lies in the working
    folder. A look at who holds what takes at most `max_pause_ms`; `census=False` takes none by itself.
    `record=True` samples allocations, too, one in `sample` bytes on average: then the report names the line
    that made what stays. `name` is what the report calls the program.

    Where this process is recorded already, that recording is given and nothing begins.

    Raises `RecordingError` where the capture cannot be made.
    """
    from nilometer import _hooking, _late, _native

    if _native.is_recording():
        return Recording(Path(_hooking.capture), is_own=_late.is_own())
    called = name or _name()
    refusals = []
    for path in [Path(os.fsdecode(capture))] if capture is not None else _places(called):
        pause_ms = max_pause_ms if census else None
        recorder = _recorder(sample) if record else None
        refusal = _late.make(str(path), _facts(called), overwrite, pause_ms, recorder)
        if refusal is None:
            return Recording(path.absolute(), is_own=True, has_begun=True)
        refusals.append(refusal)
    from nilometer.api import words

    raise RecordingError(words.not_recorded(refusals[0]))


def _recorder(sample: int) -> tuple[str, str]:
    """The recorder's library, which lies beside the package, and what it is told."""
    import nilometer

    return str(Path(nilometer.__path__[0]) / "_recorder.so"), f"sample={sample},overhead=0.02"


def _name() -> str:
    """What the program is called: its script, or how it was started."""
    words = sys.orig_argv[1:]
    script = os.path.basename(sys.argv[0]) if sys.argv and sys.argv[0] not in ("", "-c") else ""
    return script or (words[0] if words else "python")


def _places(name: str) -> list[Path]:
    """The working folder, then the one for temporary files; a name that no file has yet."""
    safe = "".join(letter if letter.isalnum() or letter in "._-" else "_" for letter in name)[:100]
    stem = f"nilometer-{safe}.{os.getpid()}"
    return [_free(folder, stem) for folder in (Path.cwd(), Path(tempfile.gettempdir()))]


def _free(folder: Path, stem: str) -> Path:
    for nth in range(1, _MAX_CAPTURES):
        path = folder / (f"{stem}.nilo" if nth == 1 else f"{stem}-{nth}.nilo")
        if not path.exists():
            return path
    return folder / f"{stem}.nilo"


def _facts(name: str) -> dict[str, str]:
    """What the supervisor says of a program that it starts; lists are JSON."""
    import nilometer

    facts = {
        "pid": str(os.getpid()),
        "argv": json.dumps(sys.argv),
        "script": name,
        "python": sys.executable or "python",
        "nilometer": nilometer.__version__,
        "started": str(int(time.time())),
        "begun_by": "the program",
    }
    with contextlib.suppress(FileNotFoundError):
        facts["cwd"] = os.getcwd()
    return facts
