"""Runs the corpus under `nilometer run` and compares what the report says with the truth.

The fast part by default, all of it with `--all-corpus`. Every run has a folder of its own that goes with the
test.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from corpus_score import NEAR, Score
from corpus_truth import CORPUS, Expected, Run, all_runs, golden_units, may_be_named

# A program that hangs must not hang the whole session: no run takes a tenth of this on an idle machine.
TIMEOUT_S = 900
SCHEMA = json.loads((CORPUS.parent / "docs" / "report.schema.json").read_text())

pytestmark = pytest.mark.slow

# How often the report of a running program is asked for, in seconds.
ASKED_EVERY_S = 1.0

Report = dict[str, Any]


def environment() -> dict[str, str]:
    return {
        **os.environ,
        "KERAS_BACKEND": "tensorflow",
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "CUDA_VISIBLE_DEVICES": "-1",
        # TensorFlow uses oneDNN by itself only on some processors; two programs are about its kernels.
        "TF_ENABLE_ONEDNN_OPTS": "1",
    }


def python(*args: str | Path, cwd: Path) -> subprocess.CompletedProcess[bytes]:
    """Runs the interpreter of the tests; `cwd` must be the test's own folder."""
    command = [sys.executable, *args]
    return subprocess.run(command, cwd=cwd, env=environment(), capture_output=True, timeout=TIMEOUT_S)


def text_of(ran: subprocess.CompletedProcess[bytes]) -> str:
    return f"exit code {ran.returncode}\n{ran.stdout[-4000:].decode()}\n{ran.stderr[-4000:].decode()}"


def compiled(run: Run, folder: Path) -> dict[str, str]:
    """What stands for words in braces in the run's arguments: its library, made in `folder`."""
    if run.compile is None:
        return {}
    source = run.script.parent / run.compile
    library = folder / f"lib{source.stem}.so"
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-pthread", "-o", library, source], check=True)
    return {"{library}": str(library)}


def report_of(capture: Path, folder: Path) -> Report:
    told = python("-m", "nilometer", "report", capture, "--format", "json", cwd=folder)
    assert told.returncode == 0, text_of(told)
    report: Report = json.loads(told.stdout)
    return report


def keep_evidence(capture: Path, target: Path) -> None:
    made = python(
        "-m", "nilometer", "report", capture, "--format", "evidence", "-o", target, cwd=target.parent
    )
    assert made.returncode == 0, text_of(made)


def watched(
    command: list[str | Path], run: Run, capture: Path
) -> tuple[subprocess.CompletedProcess[bytes], int | None]:
    """Runs the program; after how many cycles did a report of it first have the right verdict?"""
    first_right = None
    end = time.monotonic() + TIMEOUT_S
    folder = capture.parent
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        program = subprocess.Popen(command, cwd=folder, env=environment(), stdout=out, stderr=err)
        while program.poll() is None:
            if time.monotonic() > end:
                program.kill()
            time.sleep(ASKED_EVERY_S)
            if first_right is None and capture.exists():
                told = python("-m", "nilometer", "report", capture, "--format", "json", cwd=folder)
                now = json.loads(told.stdout) if told.returncode == 0 else None
                if now and now["verdict"] == run.verdict:
                    first_right = now["cycles"]["count"]
        out.seek(0)
        err.seek(0)
        done = subprocess.CompletedProcess(command, program.returncode, out.read(), err.read())
    return done, first_right


def observe(
    run: Run, args: list[str], folder: Path, watch: bool
) -> tuple[subprocess.CompletedProcess[bytes], Score]:
    """The program under nilometer, and the report of its capture."""
    capture = folder / "x.nilo"
    command = ["-m", "nilometer", "run", *run.options, "-o", capture, run.script, *args]
    begun = time.monotonic()
    first_right = None
    if watch:
        ran, first_right = watched([sys.executable, *command], run, capture)
    else:
        ran = python(*command, cwd=folder)
    seconds = time.monotonic() - begun
    assert capture.exists(), text_of(ran)
    report = report_of(capture, folder)
    jsonschema.validate(report, SCHEMA)
    return ran, Score(run, report, seconds, first_right)


def wrong_growth(run: Run, report: Report) -> list[str]:
    truth = run.growth_per(report["cycles"]["unit"])
    if run.verdict != "leak" or truth is None or run.tolerance is None:
        return []
    if report["growth"] is None:
        return ["no growth is given"]
    growth = report["growth"]["bytes_per_cycle"]
    low, estimate, high = growth["low"], growth["estimate"], growth["high"]
    wrong = []
    if not (low <= truth <= high or abs(estimate - truth) <= run.tolerance * truth):
        wrong.append(f"growth {estimate} ({low} to {high}), truth {truth}")
    if low < truth / 2 or high > truth * 2:
        wrong.append(f"interval {low} to {high} is too wide or beside the truth {truth}")
    return wrong


def wrong_component(expected: Expected, components: list[dict[str, Any]]) -> str | None:
    found = expected.matching(components)
    total = sum(found)
    if not found:
        return f"missing: {expected}"
    if total < (expected.min_bytes or 0) or total > (expected.max_bytes or total):
        return f"{total} bytes are out of bounds: {expected}"
    return None


def wrong_bytes(run: Run, truth: int, findings: list[dict[str, Any]]) -> str | None:
    """With `finding_tolerance` the estimate must be near; without, the interval may hold the truth."""
    said = [finding["bytes_per_cycle"] for finding in findings]
    low, estimate, high = (sum(one[end] for one in said) for end in ("low", "estimate", "high"))
    near = abs(estimate - truth) <= (run.finding_tolerance or NEAR) * truth
    if near or (run.finding_tolerance is None and low <= truth <= high):
        return None
    return f"{estimate} bytes per cycle ({low} to {high}), truth {truth}: {findings[0]['sentence']}"


def wrong_findings(run: Run, report: Report) -> list[str]:
    """Who is named: only those who did it; all of them where sites are strict; nobody where nothing leaks."""
    found = list(report["findings"])
    if run.subject == "child":
        return []
    if run.verdict != "leak":
        return [f"named without a leak: {finding['sentence']} {finding['sites'][:1]}" for finding in found]
    if run.finding is None:
        return []
    wrong = []
    for expected in run.finding:
        matching = expected.found_in(found)
        if not any(expected.names(finding) for finding in matching) and "site" in run.strict:
            wrong.append(f"not found: {expected}")
        if not matching:
            continue
        found = [finding for finding in found if finding not in matching]
        if "cause" in run.strict and expected.cause is not None and not expected.causes_right(matching[0]):
            wrong.append(f"cause {matching[0]['cause']}, truth {expected.cause}")
        if "holder" in run.strict and expected.holder is not None and not expected.holder_right(matching[0]):
            wrong.append(f"holder {matching[0]['holder']}, truth {expected.holder}")
        if "site" in run.strict and expected.bytes_per_cycle is not None:
            wrong += filter(None, [wrong_bytes(run, expected.bytes_per_cycle, matching)])
    found = [finding for finding in found if not may_be_named(run, finding)]
    return wrong + [f"wrongly named: {finding['sentence']} {finding['sites'][:1]}" for finding in found]


def wrong_unit(run: Run, unit: str) -> list[str]:
    """The unit must be acceptable, and the one that the golden table has."""
    wrong = [] if unit in run.unit else [f"unit {unit}, expected one of {run.unit}"]
    golden = golden_units().get((run.program, run.name))
    if golden is None:
        wrong.append(f"not in units.toml; add: {run.unit_line(unit)}")
    elif unit not in golden:
        wrong.append(f"units.toml says {' or '.join(golden)}; if the change is meant: {run.unit_line(unit)}")
    return wrong


def wrong_facts(run: Run, report: Report) -> list[str]:
    """Everything in the report that is not so."""
    wrong = wrong_growth(run, report) + wrong_findings(run, report)
    if report["verdict"] != run.verdict:
        wrong.append(f"verdict {report['verdict']}, truth {run.verdict}")
    cycles = report["cycles"]
    wrong += wrong_unit(run, cycles["unit"])
    if run.cycles is not None and cycles["count"] != run.cycles:
        wrong.append(f"{cycles['count']} cycles, truth {run.cycles}")
    if run.verdict == "undecided" and not (cycles["needed"] or 0) > 0:
        wrong.append("undecided, yet no cycles are needed")
    if run.verdict != "leak" and report["forecast"] is not None:
        wrong.append("a forecast without a leak")
    if report["program"]["exit"] is None or report["program"]["exit"]["code"] != run.exit_code:
        wrong.append(f"exit {report['program']['exit']}, truth {run.exit_code}")
    if report["losses"] and run.subject == "program":
        wrong.append(f"losses {report['losses']}")
    components = report["components"]
    wrong += filter(None, (wrong_component(expected, components) for expected in run.expect))
    for unwanted in run.expect_not:
        found = [size for size in unwanted.matching(components) if size >= (unwanted.min_bytes or size)]
        if found:
            wrong.append(f"not wanted, yet there with {found} bytes: {unwanted}")
    return wrong


@pytest.mark.parametrize("run", all_runs(), ids=lambda run: f"{run.program}-{run.name}")
def test_truth(
    run: Run,
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    score: Callable[[Score], None],
    request: pytest.FixtureRequest,
) -> None:
    everything = request.config.getoption("--all-corpus", default=False)
    if not run.fast and not everything:
        pytest.skip("takes long; --all-corpus runs it")
    if run.missing():
        pytest.skip(f"needs {' and '.join(run.missing())}, not installed here")

    words = compiled(run, tmp_path_factory.mktemp("library"))
    args = [words.get(arg, arg) for arg in run.args]
    ran, scored = observe(run, args, tmp_path, watch=everything)
    score(scored)
    folder = request.config.getoption("--keep-evidence", default=None)
    if folder is not None:
        keep_evidence(tmp_path / "x.nilo", folder / f"{run.program}-{run.name}.evidence")
    assert ran.returncode == run.exit_code, text_of(ran)
    assert wrong_facts(run, scored.report) == [], text_of(ran)
    if run.same_stdout:
        plain = python(run.script, *args, cwd=tmp_path)
        assert plain.returncode == run.exit_code, text_of(plain)
        assert ran.stdout == plain.stdout
    # Captures of children lie beside the program's own.
    ours = re.compile(r"x(\.\d+)?\.nilo")
    left = {path.name for path in tmp_path.iterdir() if not ours.match(path.name)}
    assert left == set()


def test_every_program_has_its_truth() -> None:
    programs = {path.parent.name for path in CORPUS.glob("*/train.py")}
    assert programs == {run.program for run in all_runs()}


def test_units_of_all_runs_are_in_one_table() -> None:
    golden = golden_units()
    runs = {(run.program, run.name): run for run in all_runs()}
    missing = [run.unit_line(run.unit[0]) for key, run in runs.items() if key not in golden]
    assert missing == [], "add to units.toml:\n" + "\n".join(missing)
    assert sorted(set(golden) - set(runs)) == [], "units.toml names runs that do not exist"
    assert {key: units for key, units in golden.items() if not set(units) <= set(runs[key].unit)} == {}


def test_a_run_that_is_not_in_the_table_says_which_line_to_add() -> None:
    run = Run(program="new", name="5_rounds", seconds=1, verdict="no_leak", unit=["line"])
    assert wrong_unit(run, "line") == ['not in units.toml; add: new.5_rounds = "line"']


# This one marks its cycles, as a user of the interface would.
MARKS_ITS_CYCLES = {"fast_marks"}


def test_programs_do_not_know_of_nilometer() -> None:
    for script in CORPUS.rglob("*.py"):
        if script.parent.name in MARKS_ITS_CYCLES:
            continue
        assert "nilometer" not in script.read_text(), script


def test_names_are_unique() -> None:
    names = [(run.program, run.name) for run in all_runs()]
    assert len(names) == len(set(names))
