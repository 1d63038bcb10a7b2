"""`nilometer jupyter install` and `uninstall`: Jupyter knows the kernel, and then no more."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("jupyter_client")
PATIENCE = 60  # seconds until a hang is called one


def command(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "JUPYTER_DATA_DIR": str(home), "HOME": str(home)}
    return subprocess.run(
        [sys.executable, "-m", *words], env=environment, capture_output=True, text=True, timeout=PATIENCE
    )


def known(home: Path) -> dict[str, dict[str, object]]:
    listed = command(home, "jupyter_client.kernelspecapp", "list", "--json")
    found: dict[str, dict[str, object]] = json.loads(listed.stdout)["kernelspecs"]
    return found


def test_a_kernel_comes_and_goes(tmp_path: Path) -> None:
    before = set(known(tmp_path))
    done = command(tmp_path, "nilometer", "jupyter", "install", "--user")
    assert (done.returncode, done.stderr) == (0, "")
    after = known(tmp_path)
    assert set(after) - before == {"nilometer"}
    spec = after["nilometer"]["spec"]
    assert isinstance(spec, dict)
    assert spec["display_name"] == "Python (Nilometer)"
    assert spec["argv"][1:4] == ["-m", "nilometer", "run"]
    assert "{connection_file}" in spec["argv"]
    assert command(tmp_path, "nilometer", "jupyter", "uninstall").returncode == 0
    assert set(known(tmp_path)) == before


def test_below_a_prefix_by_another_name(tmp_path: Path) -> None:
    options = ["--prefix", str(tmp_path), "--name", "mine"]
    assert command(tmp_path, "nilometer", "jupyter", "install", *options).returncode == 0
    kernel = tmp_path / "share/jupyter/kernels/mine"
    assert (kernel / "kernel.json").exists()
    assert command(tmp_path, "nilometer", "jupyter", "uninstall", *options).returncode == 0
    assert not kernel.exists()


def test_the_kernel_of_somebody_else_stays(tmp_path: Path) -> None:
    other = tmp_path / "kernels/other"
    other.mkdir(parents=True)
    (other / "kernel.json").write_text('{"argv": ["x"], "display_name": "Other", "language": "x"}')
    for action in ("install", "uninstall"):
        done = command(tmp_path, "nilometer", "jupyter", action, "--name", "other")
        assert (done.returncode, done.stdout) == (2, "")
        assert "is another kernel" in done.stderr
    assert "Other" in (other / "kernel.json").read_text()


def test_uninstalling_what_is_not_there_is_said(tmp_path: Path) -> None:
    done = command(tmp_path, "nilometer", "jupyter", "uninstall")
    assert done.returncode == 2
    assert "there is no kernel nilometer" in done.stderr
