"""Faults of frameworks that a change names are measured again: a version without one is not to be accused."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from hook_runner import PROGRAMS, PYTHON
from test_marks import KERAS, pytestmark  # noqa: F401

ROOT = Path(__file__).resolve().parents[2]
TABLE = (ROOT / "crates/frameworks/src/tensorflow/faults.rs").read_text()
VERSIONS = [set(re.findall(r'"([^"]+)"', found)) for found in re.findall(r"versions: &\[(.*?)\]", TABLE)]


@pytest.mark.slow
@pytest.mark.skipif(KERAS != "keras", reason="measured with the Keras that TensorFlow itself takes")
def test_the_installed_version_has_the_faults_that_are_told_of_it() -> None:
    program = PROGRAMS / "faults.py"
    ended = subprocess.run([PYTHON, program], capture_output=True, text=True, check=True)
    said = dict(line.split() for line in ended.stdout.splitlines()[-4:])
    version = ".".join(said["version"].split(".")[:2])
    # In the order of the table: two for each compile, one or more for each dataset and round of draws.
    counts = [int(said[name]) for name in ("gradients", "callbacks", "draws")]
    for versions, found in zip(VERSIONS, counts, strict=True):
        assert version not in versions or found >= 3, (version, said)
