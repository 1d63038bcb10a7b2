"""The look at the end of the code: before exit handlers, and not while other threads go on."""

from __future__ import annotations

import subprocess
import sys

import pytest

PRELUDE = """
import atexit, sys, threading, time, types
native = types.ModuleType("nilometer._native")
native.code_ended = lambda: print("looked")
native.lost = lambda what: print("lost", what)
sys.modules["nilometer._native"] = native
from nilometer.hooks import code_end
code_end.install("threading", threading)
atexit.register(print, "exit handler")
"""
THREAD = "threading.Thread(target=lambda: (time.sleep(0.2), print('thread')), daemon={daemon}).start()\n"


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("print('end')", ["end", "looked", "exit handler"]),
        (THREAD.format(daemon=False), ["thread", "exit handler"]),
        (THREAD.format(daemon=True), ["looked", "exit handler"]),
        (
            "from concurrent.futures import ThreadPoolExecutor as Pool\nPool(1).submit(print, 'pool')",
            ["pool", "looked", "exit handler"],
        ),
        ("del native.code_ended", ["lost the look at the end of the code: AttributeError", "exit handler"]),
        ("sys.exit(3)", ["looked", "exit handler"]),
    ],
)
def test_when_it_looks(code: str, said: list[str]) -> None:
    done = subprocess.run([sys.executable, "-c", PRELUDE + code], capture_output=True, text=True, timeout=60)
    assert (done.stdout.splitlines(), done.stderr) == (said, "")
