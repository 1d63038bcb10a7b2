"""The recording that callbacks begin: at most one, whoever of them began it.

In: a training that begins or ends. Out: the recording that runs meanwhile, and whether a callback began it.
Never: an end to a recording that somebody else began; one of a training that was interrupted left running
beside the next training.
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nilometer.api import Recording
    from nilometer.training.options import Options

_running: Recording | None = None
_thread: threading.Thread | None = None
_captures: set[Path] = set()


def begin(options: Options, scope: str) -> tuple[Recording, bool]:
    """The recording that runs, or else a new one; and whether it is a new one. Raises `RecordingError`.

    `scope` is the framework's call that goes on: what it does inside is no cycle by itself.
    """
    global _running, _thread
    from nilometer import _native
    from nilometer.api import start
    from nilometer.hooks import marks

    here = threading.current_thread()
    if _running is not None and (_thread is here or _thread is None or not _thread.is_alive()):
        # The training that began it never said its end: an exception, or Ctrl-C in a notebook.
        _running.stop()
        _running = None
    if _native.is_recording():
        return start(), False
    wanted = options.capture
    # What a callback made in this process is replaced by the next training's, and nothing else is.
    is_ours = wanted is not None and Path(wanted).absolute() in _captures
    recording = start(wanted, overwrite=options.overwrite or is_ours)
    _captures.add(recording.path)
    _running, _thread = recording, here
    marks.stand(scope)
    return recording, True


def end(recording: Recording) -> None:
    """Ends a recording that `begin` began."""
    global _running, _thread
    from nilometer.hooks import marks

    recording.stop()
    if _running is recording:
        _running = _thread = None
        marks.stand("")
