"""Leaving a training so that nothing is undone: the exception that ends the program.

In: a checkpoint that is complete. Out: the program's own clean-up, then exit code 75.
Never: `on_train_end` of callbacks (BackupAndRestore would delete its backup there), a traceback, or a program
that hangs at its end.

Why an exception and not `os._exit`: `finally` blocks, `with` blocks and exit handlers of the program run, as
after `sys.exit()`: files are flushed, runs of trackers are closed. Why a `SystemExit`: `except Exception` of
the program does not catch it, and the interpreter ends with its code and without a traceback.
"""

from __future__ import annotations

import os
import sys
import time

# `EX_TEMPFAIL` of sysexits.h: the same command may do it if it is tried again.
EXIT_CODE = 75
# The program's own clean-up may take so long. What hangs then, mostly a thread of the program that nobody
# ends, hangs below a memory limit.
END_WITHIN_S = 120


class TrainingStopped(SystemExit):
    """Training was saved and stopped by `nilometer guard`."""

    def __init__(self) -> None:
        super().__init__(EXIT_CODE)


_left = False


def leave() -> None:
    """Raises the exception; ends the process where that takes too long."""
    global _left
    if not _left:
        _left = True
        import _thread

        _thread.start_new_thread(_end_late, ())
    raise TrainingStopped


def stay_away() -> None:
    """Raises once more where the program has caught the exception and trains on."""
    if _left:
        raise TrainingStopped


def _end_late() -> None:
    time.sleep(END_WITHIN_S)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:
            continue
    os._exit(EXIT_CODE)
