"""Whose file holds the memory, also where only a look after the script's last line met the holder."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import nilometer
import pytest
from nilometer.api.findings import Holder

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
# As in a kernel: no script, and the file of a function is its cell.
IN_CELLS = """
import nilometer

del __file__
exec(compile("def made(): return [bytearray(3000) for _ in range(100)]", "In [1]", "exec"))
kept = []
for step in range(40):
    kept.append(made())
    nilometer.cycle()
"""


@pytest.mark.parametrize("source", [FLAT, IN_A_FUNCTION])
def test_a_name_of_the_script_is_the_users(tmp_path: Path, source: str) -> None:
    assert holder(tmp_path, source).file == str(tmp_path / "train.py")


def test_a_cell_is_no_script(tmp_path: Path) -> None:
    assert holder(tmp_path, IN_CELLS).file is None


def holder(folder: Path, source: str) -> Holder:
    (folder / "train.py").write_text(source)
    command = [sys.executable, "-m", "nilometer", "run", "-q", "-o", "x.nilo", "train.py"]
    subprocess.run(command, cwd=folder, check=True, timeout=120, stdin=subprocess.DEVNULL)
    report = nilometer.read(folder / "x.nilo")
    assert report.verdict == "leak"
    found = report.findings[0].holder
    assert found is not None
    assert found.path.startswith("__main__.kept")
    return found
