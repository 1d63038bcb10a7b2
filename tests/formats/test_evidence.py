"""Evidence of a run gives the same report, without the capture and without the program."""

from __future__ import annotations

import json
from typing import Any

from forms import Forms


def made(forms: Forms) -> str:
    """A program that leaks, its evidence, and then no program and no capture any more."""
    forms.record("gone", 1 << 20)
    done = forms.run("report", "gone.nilo", "--format", "evidence", "-o", ".")
    assert (done.returncode, done.stdout) == (0, b""), done.stderr
    assert done.stderr.decode() == "Report: ./gone.evidence\n"
    return "gone.evidence"


def report(forms: Forms, file: str) -> Any:
    return json.loads(forms.of("json", capture=file))


def report_of_bytes(forms: Forms, evidence: bytes) -> Any:
    (forms.folder / "again.evidence").write_bytes(evidence)
    return report(forms, "again.evidence")


def test_the_report_is_the_same_on_any_machine(forms: Forms) -> None:
    evidence = made(forms)
    whole = report(forms, "gone.nilo")
    assert (forms.folder / evidence).stat().st_size < 64 << 10
    for name in ("gone.py", "gone.nilo"):
        (forms.folder / name).unlink()
    again = report(forms, evidence)
    assert again == whole
    assert again["verdict"] == "leak"
    assert again["findings"][0]["sites"][0]["text"], "the line of source is part of it"
    by_window = forms.run("report", evidence, "--cycle", "window", "--format", "json")
    assert json.loads(by_window.stdout)["cycles"]["unit"] == "window", "another unit can be asked for"
    assert "gone.py" in forms.of("html", capture=evidence).decode()
    assert report_of_bytes(forms, forms.of("evidence", capture=evidence)) == whole, "evidence of evidence"


def test_a_damaged_file_is_refused_in_words(forms: Forms) -> None:
    evidence = forms.folder / made(forms)
    evidence.write_bytes(evidence.read_bytes()[:-100])
    done = forms.run("report", evidence.name)
    assert done.returncode == 2
    assert done.stderr.decode().startswith(
        "error: gone.evidence is damaged, or was made by another version of nilometer"
    )
    assert b"hint: write it again from its capture" in done.stderr


def test_it_is_not_redacted_but_refused(forms: Forms) -> None:
    done = forms.run("report", "leak.nilo", "--format", "evidence", "--redact", "-o", "secret.evidence")
    assert done.returncode == 2
    assert b"cannot be redacted" in done.stderr
    assert not (forms.folder / "secret.evidence").exists()
