"""Memory outside of objects' blocks: Python's own everywhere, numpy's and TensorFlow's in this Python."""

from __future__ import annotations

import sys

import pytest
from conftest import run


def test_python_s_own(python: str, probe: str) -> None:
    run(python, "sizes_program.py", probe)


def test_numpy(probe: str) -> None:
    pytest.importorskip("numpy")
    run(sys.executable, "numpy_program.py", probe)


@pytest.mark.slow
def test_tensorflow(probe: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("tensorflow")
    monkeypatch.setenv("TF_CPP_MIN_LOG_LEVEL", "3")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "-1")
    run(sys.executable, "tensorflow_program.py", probe)
