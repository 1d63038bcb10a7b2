"""What the errors of the interface for programs say.

In: numbers and reasons. Out: what happened, and what to do next.
Never: words of a report; they are the diagnosis's. It is loaded when an error is raised.
"""

from __future__ import annotations

NEEDS_OWN_RECORDING = (
    "nilometer.check() needs a recording of its own, and this process is recorded already; "
    "end that by stop(), or use `%%nilometer --cycles N` in a notebook"
)
NO_PANDAS = "to_frame() needs pandas, which is not installed; run `pip install pandas`, or use timeline"


def too_few_cycles(given: int, least: int) -> str:
    """No verdict can come of them."""
    return f"cycles must be at least {least}, not {given}: fewer give no verdict"


def not_recorded(why: str) -> str:
    """`why` is what the native module said of the first place for a capture."""
    return f"this process is not recorded: {why}"
