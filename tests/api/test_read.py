"""`nilometer.read`: what the command says, with types, and without holding up the program that asks."""

from __future__ import annotations

import dataclasses
import json
import pickle
import subprocess
import sys
import threading
from typing import Any

import nilometer
import pytest
from nilometer.api import _build, findings, growth, program, report
from recorded import EVIDENCE, ROOT, Recorded

# Nothing on its own loads more than this.
LIGHT = {"nilometer", "__future__"}


def test_a_capture_has_what_the_command_says(recorded: Recorded, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(recorded.capture.parent)  # lines of source are read from where the program's files lie
    read = nilometer.read(recorded.capture)
    assert read.to_dict() == recorded.by_command()
    assert nilometer.read(str(recorded.capture)) == read
    assert (read.verdict, read.program.name, read.cycles.count) == ("leak", "<b>.py", 24)
    assert read.growth is not None
    rate = read.growth.bytes_per_cycle
    assert rate.low <= rate.estimate <= rate.high
    assert rate.estimate == pytest.approx(2 << 20, rel=0.05)
    found = read.findings[0]
    assert any(site.line == 6 and site.file.endswith("<b>.py") for site in found.sites)
    assert read.timeline[-1].cycle == 24


def test_evidence_is_read_too(recorded: Recorded) -> None:
    read = nilometer.read(EVIDENCE)
    assert read.to_dict() == recorded.by_command(EVIDENCE)
    assert read.verdict == "leak"


def test_values_are_those_of_the_dict(recorded: Recorded) -> None:
    """Every attribute, all the way down, is what the JSON has under its name."""

    def same(value: Any, told: Any, at: str) -> None:
        if dataclasses.is_dataclass(value):
            for field in dataclasses.fields(value):
                if not field.name.startswith("_"):
                    # What the JSON leaves out has a default: it did not happen.
                    there = told.get(field.name) if field.default is None else told[field.name]
                    same(getattr(value, field.name), there, f"{at}.{field.name}")
        elif isinstance(value, tuple):
            assert len(value) == len(told), at
            for i, (one, other) in enumerate(zip(value, told, strict=True)):
                same(one, other, f"{at}[{i}]")
        else:
            assert value == told, at

    for path in (recorded.capture, EVIDENCE):
        read = nilometer.read(path)
        same(read, read.to_dict(), "report")


def test_a_report_cannot_be_changed_and_travels(recorded: Recorded) -> None:
    read = nilometer.read(recorded.capture)
    with pytest.raises(dataclasses.FrozenInstanceError):
        read.verdict = "no_leak"  # type: ignore[misc]
    read.to_dict().clear()
    assert read.to_dict()["verdict"] == "leak"
    again = pickle.loads(pickle.dumps(read))
    assert again == read
    assert hash(again) == hash(read)
    assert str(again) == str(read)


def test_more_than_is_known_is_no_trouble() -> None:
    made = _build.build(growth.Interval, {"estimate": 2, "low": 1, "high": 3, "median": 2})
    assert made == growth.Interval(2, 1, 3)
    assert (
        _build.build(growth.OtherCycles, {"unit": "a", "kind": "b", "found_by": None, "count": 1}).count == 1
    )


def test_every_name_is_the_schemas() -> None:
    known = set()

    def names(node: Any) -> None:
        if isinstance(node, dict):
            known.update(node.get("properties", {}))
            for part in node.values():
                names(part)
        elif isinstance(node, list):
            for part in node:
                names(part)

    names(json.loads((ROOT / "docs/report.schema.json").read_text()))
    for module in (findings, growth, program, report):
        for kind in vars(module).values():
            if dataclasses.is_dataclass(kind):
                named = {field.name for field in dataclasses.fields(kind) if field.name[0] != "_"}
                assert named <= known, kind


def test_other_threads_go_on_meanwhile() -> None:
    """No thread is made to give way here: another one gets a turn only where the reader lets go by itself."""
    from nilometer import _native

    over = threading.Event()
    turns = 0

    def count() -> None:
        nonlocal turns
        while not over.wait(0.0001):
            turns += 1

    thread = threading.Thread(target=count)
    thread.start()
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1000)
    try:
        before = turns
        made = _native.read(str(EVIDENCE))
        after = turns
    finally:
        sys.setswitchinterval(usual)
        over.set()
        thread.join()
    assert "report" in made
    assert after > before


def test_importing_the_package_loads_nothing_else() -> None:
    script = (
        "import sys; before = set(sys.modules); import nilometer\n"
        "dir(nilometer); nilometer.cycle(); print(sorted(set(sys.modules) - before))\n"
        "nilometer.read; print('nilometer.api' in sys.modules, 'nilometer._native' in sys.modules)\n"
    )
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    light, later = said.splitlines()
    assert set(eval(light)) <= LIGHT
    assert later == "True False", "the native module comes with the first file"


def test_the_package_says_what_it_has() -> None:
    assert {"read", "Report", "ReportError"} <= set(dir(nilometer))
    assert not hasattr(nilometer, "reed")
    assert issubclass(nilometer.MissingCaptureError, FileNotFoundError)
