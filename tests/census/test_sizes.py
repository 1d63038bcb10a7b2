"""Memory outside of objects' blocks: Python's own everywhere, that of libraries in this Python."""

from __future__ import annotations

import sys

import pytest
from checked_program import ends_well, facts, holds

OWN = "sizes_program.py"
# The library that each needs, and its program.
LIBRARIES = {
    "numpy": "numpy_program.py",
    "pandas": "frames_program.py",
    "pyarrow": "arrow_program.py",
    "torch": "torch_program.py",
    "jax": "jax_program.py",
}
OF_LIBRARIES = [(library, fact) for library, program in LIBRARIES.items() for fact in facts(program)]
TENSORFLOW = "tensorflow_program.py"


@pytest.mark.parametrize("fact", facts(OWN))
def test_python_s_own(fact: str, python: str, probe: str) -> None:
    holds(fact, python, OWN, probe)


def test_the_program_of_sizes_ends_as_ever(python: str, probe: str) -> None:
    ends_well(python, OWN, probe)


@pytest.mark.parametrize(("library", "fact"), OF_LIBRARIES)
def test_libraries(library: str, fact: str, probe: str) -> None:
    """Where they are installed."""
    pytest.importorskip(library)
    holds(fact, sys.executable, LIBRARIES[library], probe)


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_program_of_a_library_ends_as_ever(library: str, probe: str) -> None:
    pytest.importorskip(library)
    ends_well(sys.executable, LIBRARIES[library], probe)


@pytest.fixture
def quiet_tensorflow(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("tensorflow")
    monkeypatch.setenv("TF_CPP_MIN_LOG_LEVEL", "3")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "-1")


@pytest.mark.slow
@pytest.mark.usefixtures("quiet_tensorflow")
@pytest.mark.parametrize("fact", facts(TENSORFLOW))
def test_tensorflow(fact: str, probe: str) -> None:
    holds(fact, sys.executable, TENSORFLOW, probe)


@pytest.mark.slow
@pytest.mark.usefixtures("quiet_tensorflow")
def test_the_program_of_tensorflow_ends_as_ever(probe: str) -> None:
    ends_well(sys.executable, TENSORFLOW, probe)
