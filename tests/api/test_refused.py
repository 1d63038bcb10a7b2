"""Files of which there is no report: an exception that says what happened, to what, and what to do next."""

from __future__ import annotations

import os
import pickle
from pathlib import Path

import nilometer
import pytest
from recorded import EVIDENCE, Recorded


def refused(path: Path, kind: type[Exception]) -> str:
    with pytest.raises(nilometer.ReportError) as caught:
        nilometer.read(path)
    assert type(caught.value) is kind
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
    message = str(caught.value)
    assert str(path) in message
    assert "; " in message, "and what to do next"
    return message


def test_no_file(tmp_path: Path) -> None:
    message = refused(tmp_path / "gone.nilo", nilometer.MissingCaptureError)
    assert message == f"there is no file {tmp_path}/gone.nilo; check the name"
    with pytest.raises(FileNotFoundError):
        nilometer.read(tmp_path / "gone.nilo")


def test_other_files(tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("not a capture, though it is long enough to be read\n" * 200)
    assert "not a nilometer capture" in refused(text, nilometer.NotACaptureError)
    text.write_bytes(b"")
    assert "is empty" in refused(text, nilometer.NotACaptureError)
    assert "is a folder" in refused(tmp_path, nilometer.NotACaptureError)


def test_a_torn_capture(recorded: Recorded, tmp_path: Path) -> None:
    whole = recorded.capture.read_bytes()
    torn = tmp_path / "torn.nilo"
    torn.write_bytes(whole[:1000])
    assert "was cut" in refused(torn, nilometer.DamagedCaptureError)
    # What lies before the tear can be read, and what is missing is told.
    torn.write_bytes(whole[: len(whole) * 2 // 3])
    assert nilometer.read(torn).program.name == "<b>.py"


def test_torn_evidence(tmp_path: Path) -> None:
    torn = tmp_path / "torn.evidence"
    torn.write_bytes(EVIDENCE.read_bytes()[:-100])
    assert "is damaged" in refused(torn, nilometer.DamagedCaptureError)


def test_a_newer_version(recorded: Recorded, tmp_path: Path) -> None:
    """`docs/capture-format.md`: the major version stands at offset 8."""
    whole = bytearray(recorded.capture.read_bytes())
    whole[8:10] = (2).to_bytes(2, "little")
    newer = tmp_path / "newer.nilo"
    newer.write_bytes(whole)
    assert "update nilometer" in refused(newer, nilometer.NewerCaptureError)


def test_newer_evidence(tmp_path: Path) -> None:
    newer = tmp_path / "newer.evidence"
    newer.write_bytes(EVIDENCE.read_bytes().replace(b"nilometer evidence 1\n", b"nilometer evidence 9\n", 1))
    assert "update nilometer" in refused(newer, nilometer.NewerCaptureError)


def test_a_file_that_fails_to_be_read() -> None:
    assert "cannot be read" in refused(Path("/proc/self/mem"), nilometer.ReportError)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_of_somebody_else(recorded: Recorded, tmp_path: Path) -> None:
    closed = tmp_path / "closed.nilo"
    closed.write_bytes(recorded.capture.read_bytes())
    closed.chmod(0)
    assert "may not be read" in refused(closed, nilometer.ReportError)


def test_what_is_no_path_is_a_type_error() -> None:
    with pytest.raises(TypeError):
        nilometer.read(4711)  # type: ignore[arg-type]
    with pytest.raises(nilometer.ReportError):
        nilometer.read("a\0b")
