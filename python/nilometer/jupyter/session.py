"""What Nilometer has of one kernel while its extension is loaded: the recording, and the ledger.

In: the shell. Out: both, from `%load_ext nilometer` until it is unloaded.
Never: an extension that does not load because the kernel cannot be recorded: the ledger needs no recording's
report, and the magics say what is missing.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

from nilometer import _native
from nilometer.api import Recording, RecordingError, Report, start
from nilometer.hooks import notebook
from nilometer.jupyter.ledger import Ledger


class Session:
    """The recording and the ledger of one shell."""

    def __init__(self, shell: Any) -> None:
        self.shell = shell
        self.recording: Recording | None = None
        self.refusal = ""
        try:
            self.recording = start(_capture(), overwrite=True, name=_name())
            _native.fact("script", _name())
        except RecordingError as error:
            self.refusal = str(error)
        # A shell that was there before the recording.
        notebook.watch(shell)
        self.ledger = Ledger(shell)
        notebook.listeners.append(self.ledger.ended)

    def report(self) -> Report:
        """What is known so far. Raises `RecordingError` or another `ReportError`."""
        if self.recording is None:
            raise RecordingError(self.refusal)
        # Cells may be too quick for a look of its own: whoever asks waits for one.
        _native.census()
        return self.recording.report()

    def end(self) -> None:
        """Stops the recording that was begun here, and the ledger."""
        if self.ledger.ended in notebook.listeners:
            notebook.listeners.remove(self.ledger.ended)
        if self.recording is not None:
            self.recording.stop()


def _name() -> str:
    """What the report calls it: Jupyter's server says which notebook a kernel is for."""
    return os.path.basename(os.environ.get("JPY_SESSION_NAME", "")) or "notebook"


def _capture() -> Path:
    """Where it lies: not beside the notebook, which is often in a repository."""
    return Path(tempfile.gettempdir()) / f"nilometer-notebook.{os.getpid()}.nilo"
