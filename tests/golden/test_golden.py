"""What every command prints is what `expected/` holds, and none is without.

After a change that is meant: `python -m pytest tests/golden --renew-goldens`, and read what differs before it
is committed.
"""

from __future__ import annotations

import re
from pathlib import Path

import made_capture
import pytest
from goldens import CASES, EXPECTED, LIVE, Desk, differing, reported, values

REPORTS = ["terminal", "html", "json", "jsonl", "markdown", "collapsed", "speedscope", "firefox", "pprof"]
REPORTS += ["tensorboard", "openmetrics", "parquet", "sarif", "junit", "github"]
# Compressed, with figures of the run: tests/formats reads it back.
NOT_GOLDEN = ["evidence"]
DIFFS = ["terminal", "html", "json"]
HELPS = ["run", "report", "diff", "serve", "prove", "fix", "plan", "guard", "census", "attach", "detach"]
HELPS += ["status"]


def compare(name: str, said: str, renew: bool, *, live: bool = False) -> None:
    path = EXPECTED / f"{name}.txt"
    if renew:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(said, encoding="utf-8")
    assert path.exists(), f"nothing is expected of {name}: --renew-goldens writes it"
    expected = path.read_text(encoding="utf-8")
    if live:  # where lines break depends on the length of a process id
        assert " ".join(said.split()) == " ".join(expected.split())
    else:
        assert said.splitlines() == expected.splitlines()


@pytest.mark.parametrize("name", CASES)
def test_a_command_prints_what_is_expected(desk: Desk, renew: bool, name: str) -> None:
    compare(f"output/{name}", CASES[name](desk), renew, live=name in LIVE)


@pytest.mark.parametrize("form", REPORTS)
def test_a_form_of_the_report(desk: Desk, renew: bool, form: str) -> None:
    compare(f"report/{form}", reported(desk, form), renew)


@pytest.mark.parametrize("form", DIFFS)
def test_a_form_of_the_difference(desk: Desk, renew: bool, form: str) -> None:
    compare(f"diff/{form}", differing(desk, form), renew)


@pytest.mark.parametrize("command", ["", *HELPS])
@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help(desk: Desk, renew: bool, command: str, option: str) -> None:
    told = desk.tell(*filter(None, [command, option]))
    compare(f"help/{command or 'nilometer'}{option}", desk.exact(told), renew)


def test_no_command_is_without_golden_files(desk: Desk) -> None:
    told = desk.tell("--help").out.decode()
    listed = told.partition("Commands:\n")[2].partition("\n\n")[0]
    commands = re.findall(r"^  ([a-z-]+) ", listed, re.MULTILINE)
    assert sorted(commands) == sorted(HELPS)
    outputs = {path.stem.split("-")[0] for path in (EXPECTED / "output").iterdir()}
    assert sorted(commands) == sorted(outputs)
    assert values(desk, "report") == REPORTS + NOT_GOLDEN
    assert values(desk, "diff") == DIFFS


def test_no_golden_file_is_without_a_test() -> None:
    here = {str(path.relative_to(EXPECTED)) for path in EXPECTED.rglob("*.txt")}
    helps = {
        f"help/{command}{option}.txt" for command in ["nilometer", *HELPS] for option in ("-h", "--help")
    }
    forms = {f"report/{form}.txt" for form in REPORTS} | {f"diff/{form}.txt" for form in DIFFS}
    assert here == helps | forms | {f"output/{name}.txt" for name in CASES}


def test_a_made_capture_is_the_same_each_time(desk: Desk, tmp_path: Path) -> None:
    made_capture.make(tmp_path / "again.nilo", 2 << 20, str(desk.folder))
    assert (tmp_path / "again.nilo").read_bytes() == (desk.folder / "leak.nilo").read_bytes()
