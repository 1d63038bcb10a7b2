"""`Report.to_html`: the page of `nilometer report --html`, from Python."""

from __future__ import annotations

import subprocess
from pathlib import Path

import nilometer
import pytest
from recorded import COMMAND, EVIDENCE, PATIENCE


def test_a_page_is_the_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = [*COMMAND, "report", str(EVIDENCE), "--html", "-o"]
    for more in ([], ["--redact"]):
        subprocess.run(
            [*command, "its.html", *more], cwd=tmp_path, check=True, capture_output=True, timeout=PATIENCE
        )
        nilometer.read(EVIDENCE).to_html(tmp_path / "ours.html", redact=bool(more))
        assert (tmp_path / "ours.html").read_bytes() == (tmp_path / "its.html").read_bytes()
    copied = tmp_path / "gone.evidence"
    copied.write_bytes(EVIDENCE.read_bytes())
    monkeypatch.chdir(tmp_path)
    report = nilometer.read(copied.name)
    copied.unlink()
    monkeypatch.chdir("/")
    with pytest.raises(nilometer.MissingCaptureError):
        report.to_html(tmp_path / "none.html")
    assert not (tmp_path / "none.html").exists()
