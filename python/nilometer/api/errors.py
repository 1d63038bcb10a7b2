"""What `nilometer.read` and `nilometer.start` raise.

Each message says what happened, to which file, and what to do next.
"""

from __future__ import annotations


class ReportError(Exception):
    """There is no report of this file. The message says why, and what to do next."""


class MissingCaptureError(ReportError, FileNotFoundError):
    """There is no such file."""


class NotACaptureError(ReportError, ValueError):
    """The file was not made by `nilometer run`: it is empty, a folder, or something else."""


class NewerCaptureError(ReportError):
    """A newer nilometer made the file. Update this one."""


class DamagedCaptureError(ReportError, ValueError):
    """The file was cut short or changed, and nothing can be read from it."""


class RecordingError(Exception):
    """This process cannot be recorded. The message says why, and what to do next."""
