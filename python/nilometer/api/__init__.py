"""Recordings and reports for Python programs: `nilometer.start()`, `nilometer.read(path)`.

In: a capture, or evidence of one. Out: a `Report`, or a `ReportError` that says what to do. All judging is
done by the native module; here its answer gets types. Not to be imported before somebody asks for one.
"""

from __future__ import annotations

import json
import os

from nilometer.api._build import build
from nilometer.api.checking import check
from nilometer.api.errors import (
    DamagedCaptureError,
    MissingCaptureError,
    NewerCaptureError,
    NotACaptureError,
    RecordingError,
    ReportError,
)
from nilometer.api.recording import Recording, start
from nilometer.api.report import Report

__all__ = [
    "DamagedCaptureError",
    "MissingCaptureError",
    "NewerCaptureError",
    "NotACaptureError",
    "Recording",
    "RecordingError",
    "Report",
    "ReportError",
    "check",
    "read",
    "start",
]

# By what the native module calls them.
_ERRORS: dict[str, type[ReportError]] = {
    "missing": MissingCaptureError,
    "not_a_capture": NotACaptureError,
    "newer": NewerCaptureError,
    "damaged": DamagedCaptureError,
}


def read(path: str | os.PathLike[str]) -> Report:
    """The report of a capture (`.nilo`) or of evidence, as `nilometer report` tells it.

    The program may still run. Other threads of yours go on meanwhile.

    Raises `ReportError`: `MissingCaptureError` where there is no such file, `NotACaptureError`,
    `NewerCaptureError`, `DamagedCaptureError`.
    """
    from nilometer import _native

    made = _native.read(os.fsdecode(path))
    kind = made.get("refused")
    if kind is not None:
        message = "; ".join(part for part in (made["what"], made["hint"]) if part)
        raise _ERRORS.get(kind, ReportError)(message)
    text = made["report"]
    return build(Report, json.loads(text), _json=text, _brief=made["brief"], _card=made["card"])
