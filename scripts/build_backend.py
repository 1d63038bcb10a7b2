"""The PEP 517 backend: maturin's, with the recorder's library built and put beside the Python files first.

In: what pip and maturin pass. Out: wheels that hold `nilometer/_recorder.so`. maturin builds one library, the
Python module; the recorder is another one, as it is loaded into programs before there is any Python.
Never: a wheel without the recorder, except for machines that it does not know: there `nilometer run` says so.
"""

from __future__ import annotations

import contextlib
import json
import platform
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import maturin
from maturin import (
    build_sdist,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

ROOT = Path(__file__).parents[1]
CRATE = "nilometer-recorder"
PLACE = ROOT / "python" / "nilometer" / "_recorder.so"


def build_wheel(directory: str, settings: Any = None, metadata: str | None = None) -> str:
    """Builds the wheel; nothing is left in the source tree."""
    with _recorder_in_place():
        built: str = maturin.build_wheel(directory, settings, metadata)
    return built


def build_editable(directory: str, settings: Any = None, metadata: str | None = None) -> str:
    """Builds the wheel that points to the source tree, where the recorder then stays."""
    _put_in_place()
    built: str = maturin.build_editable(directory, settings, metadata)
    return built


@contextlib.contextmanager
def _recorder_in_place() -> Iterator[None]:
    _put_in_place()
    try:
        yield
    finally:
        PLACE.unlink(missing_ok=True)


def _put_in_place() -> None:
    if platform.machine() == "x86_64" and platform.libc_ver()[0] == "glibc":
        shutil.copyfile(_recorder(), PLACE)


def _recorder() -> Path:
    """Builds the library; cargo says where it is."""
    command = ["cargo", "build", "--release", "--locked", "--package", CRATE]
    said = subprocess.run(
        [*command, "--message-format=json-render-diagnostics"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    ).stdout
    for line in said.splitlines():
        message = json.loads(line)
        target = message.get("target", {})
        if message["reason"] == "compiler-artifact" and "cdylib" in target.get("crate_types", ()):
            for name in message["filenames"]:
                if name.endswith(".so"):
                    return Path(name)
    raise RuntimeError(f"cargo built no library of {CRATE}")
