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
    raise_refusal,
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


def read(path: str | os.PathLike[str]) -> Report:
    """The report of a capture (`.nilo`) or of evidence, as `nilometer report` tells it.

    The program may still run. Other threads of yours go on meanwhile.

    Raises `ReportError`: `MissingCaptureError` where there is no such file, `NotACaptureError`,
    `NewerCaptureError`, `DamagedCaptureError`.
    """
    from nilometer import _native

    name = os.fsdecode(path)
    made = _native.read(name)
    raise_refusal(made)
    text = made["report"]
    more = {"_json": text, "_brief": made["brief"], "_card": made["card"], "_path": os.path.abspath(name)}
    return build(Report, json.loads(text), **more)
