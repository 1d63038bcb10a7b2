"""Whose file holds the memory, also where only a look after the script's last line met the holder."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import nilometer
import pytest

# Python takes `__file__` out of `__main__` when the last line is done.
FLAT = """
import nilometer

class Keeps:
    def __init__(self):
        self.rows = []

kept = Keeps()
for step in range(40):
    kept.rows.append([bytearray(3000) for _ in range(100)])
    nilometer.cycle()
"""
IN_A_FUNCTION = """
import nilometer

kept = []

def train():
    for step in range(40):
        kept.append([bytearray(3000) for _ in range(100)])
        nilometer.cycle()

train()
"""


@pytest.mark.parametrize("source", [FLAT, IN_A_FUNCTION])
def test_a_name_of_the_script_is_the_users(tmp_path: Path, source: str) -> None:
    script = tmp_path / "train.py"
    script.write_text(source)
    command = [sys.executable, "-m", "nilometer", "run", "-q", "-o", "x.nilo", "train.py"]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=120, stdin=subprocess.DEVNULL)
    report = nilometer.read(tmp_path / "x.nilo")
    assert report.verdict == "leak"
    holder = report.findings[0].holder
    assert holder is not None
    assert holder.path.startswith("__main__.kept")
    assert holder.file == str(script)
