"""The census's test library, and an interpreter of each version to load it into.

What tests import has a module name of its own, as `conftest` is not unique.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
MINORS = (10, 11, 12, 13, 14)


def interpreters() -> dict[int, str]:
    """An interpreter of each minor version: this one, those on PATH, those that pyenv keeps."""
    versions = Path(os.environ.get("PYENV_ROOT", "~/.pyenv")).expanduser() / "versions"
    found = {sys.version_info.minor: sys.executable}
    for minor in MINORS:
        kept = sorted(versions.glob(f"3.{minor}.*/bin/python3.{minor}"))
        candidates = [str(path) for path in kept] + [shutil.which(f"python3.{minor}")]
        for candidate in candidates:
            # pyenv's names on PATH are there for versions that are not selected, too; those fail when run.
            if (
                candidate
                and minor not in found
                and subprocess.run([candidate, "-c", ""], capture_output=True).returncode == 0
            ):
                found[minor] = candidate
    return found


FOUND = interpreters()


@pytest.fixture(scope="session")
def probe() -> str:
    """The library that lets Python call the census."""
    command = ["cargo", "build", "--quiet", "--locked", "--package", "nilometer-frameworks"]
    command += ["--example", "census_probe", "--message-format=json"]
    lines = subprocess.check_output(command, cwd=HERE, text=True).splitlines()
    built = [json.loads(line) for line in lines]
    (library,) = [
        name
        for message in built
        if message["reason"] == "compiler-artifact" and message["target"]["name"] == "census_probe"
        for name in message["filenames"]
        if name.endswith(".so")
    ]
    return str(library)


@pytest.fixture(params=MINORS, ids=lambda minor: f"3.{minor}")
def python(request: pytest.FixtureRequest) -> str:
    """An interpreter of each version; those that are not there are skipped."""
    if request.param not in FOUND:
        pytest.skip(f"no Python 3.{request.param} here")
    return FOUND[request.param]
