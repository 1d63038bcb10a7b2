"""What the modules beside this one say.

In: names. Out: words. Never: a decision, or an import.
It is loaded when something is said: these modules run in every program, and before it.
"""

from __future__ import annotations

# Why a recording does not begin, and what the report says of its recorder.
RECORDED_ALREADY = "this process is recorded already"
NO_RECORDER = "off: it was not asked for"
# A loss.
NO_MORE_SAMPLES = "samples of memory after the program was replaced by another one than its Python"


def not_joined(capture: str) -> str:
    """Why a recording does not begin, either."""
    return f"the capture {capture} cannot be joined"


def wrong_unit(given: object) -> str:
    """`nilometer.cycle()` counts neither."""
    return f"unit must be 'step' or 'request', not {given!r}"
