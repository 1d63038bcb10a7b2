"""Running a program of this folder in an interpreter under test."""

from __future__ import annotations

import functools
import json
import subprocess
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


@functools.cache
def run(python: str, library: str, program: str, *arguments: str) -> Any:
    """Runs it without this interpreter's settings, once for all who ask; what its last line says as JSON."""
    command = [python, "-E", "-s", "-X", "faulthandler", str(HERE / program), library, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, f"{done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-6000:]}"
    return json.loads(done.stdout.splitlines()[-1])
