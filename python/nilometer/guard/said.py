"""What the guard says while the program runs: lines on stderr.

In: a sentence. Out: it written, past the program's own buffers.
Never: an exception, or a word on stdout.
"""

from __future__ import annotations

import contextlib
import os
import sys


def say(sentence: str) -> None:
    """Writes one line to stderr."""
    with contextlib.suppress(Exception):
        sys.stderr.flush()
    with contextlib.suppress(OSError):
        os.write(2, f"nilometer guard: {sentence}\n".encode())
