"""Memory outside of objects' blocks: Python's own everywhere, that of libraries in this Python."""

from __future__ import annotations

import sys

import pytest
from checked_program import run


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


@pytest.mark.parametrize(
    ("library", "program"), [("pandas", "frames"), ("pyarrow", "arrow"), ("torch",) * 2, ("jax",) * 2]
)
def test_libraries(probe: str, library: str, program: str) -> None:
    """Where they are installed."""
    pytest.importorskip(library)
    run(sys.executable, f"{program}_program.py", probe)
