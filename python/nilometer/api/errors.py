"""What `nilometer.read` and `nilometer.start` raise.

Each message says what happened, to which file, and what to do next.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


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


# By what the native module calls them.
_KINDS: dict[str, type[ReportError]] = {
    "missing": MissingCaptureError,
    "not_a_capture": NotACaptureError,
    "newer": NewerCaptureError,
    "damaged": DamagedCaptureError,
}


def raise_refusal(made: Mapping[str, str]) -> None:
    """Raises what the native module refused; nothing where it made what it was asked for."""
    kind = made.get("refused")
    if kind is not None:
        message = "; ".join(part for part in (made["what"], made["hint"]) if part)
        raise _KINDS.get(kind, ReportError)(message)
