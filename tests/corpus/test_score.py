"""The corpus' own measure: what counts as the right place, cause, holder and interval."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from corpus_score import Score, summary
from corpus_truth import ExpectedFinding, Run, all_runs, read
from test_corpus import wrong_findings, wrong_growth


def finding(file: str = "/a/train.py", line: int = 7, path: str | None = None, **more: Any) -> dict[str, Any]:
    sites = [{"role": "made_at", "file": file, "line": line, "function": "f", "bytes_per_cycle": 1000}]
    holder = None if path is None else {"path": path, "owner": "", "elements": ""}
    said = {"estimate": 1000, "low": 900, "high": 1100}
    given = {"cause": "growth-at-site", "sentence": "f makes memory that stays", "part": None, "stack": []}
    return {**given, "sites": sites, "holder": holder, "bytes_per_cycle": said, **more}


def a_run(**more: Any) -> Run:
    given = {"verdict": "leak", "bytes_per_cycle": 1000, "tolerance": 0.1}
    return Run(program="p", name="n", seconds=1, unit=["epoch"], **{**given, **more})


def a_report(findings: list[dict[str, Any]], low: int = 900, high: int = 1100) -> dict[str, Any]:
    said = {"estimate": (low + high) // 2, "low": low, "high": high}
    cycles = {"unit": "epoch", "count": 9, "needed": None, "seconds": 0.1}
    return {"verdict": "leak", "growth": {"bytes_per_cycle": said}, "findings": findings, "cycles": cycles}


@pytest.mark.parametrize(
    ("path", "named", "right"),
    [
        ("fit(): callbacks[0].saved[*]", "saved", True),
        ("fit(): callbacks[0].saved[*]", "callbacks[0].saved", True),
        ("__main__.SAVED['a'][*]", "SAVED", True),
        ("callbacks[0].unsaved[*]", "saved", False),
        ("saved[*].model", "saved", True),
        ("saved.model[*]", "saved", False),
        ("saved[0].models[*]", "saved", False),
        (None, "saved", False),
        ("main(): taken[*]", ["saved", "taken"], True),
        ("main(): mistaken[*]", ["saved", "taken"], False),
    ],
)
def test_a_holder_is_right_by_the_level_that_grows(
    path: str | None, named: str | list[str], right: bool
) -> None:
    assert ExpectedFinding(site="train.py:7", holder=named).holder_right(finding(path=path)) is right


def test_a_site_is_a_file_and_a_line() -> None:
    assert ExpectedFinding(site="train.py:7").names(finding())
    assert ExpectedFinding(site=["train.py:6", "train.py:7"]).names(finding())
    assert ExpectedFinding(site="data/train.py:7").names(finding("/x/data/train.py"))
    assert not ExpectedFinding(site="data/train.py:7").names(finding())
    assert not ExpectedFinding(site="train.py:7").names(finding("/a/pretrain.py"))
    assert not ExpectedFinding(site="train.py:7").names(finding(line=8))


def test_nobody_else_may_be_named() -> None:
    run = a_run(finding=[ExpectedFinding(site="train.py:7")])
    report = a_report([finding(), finding(line=9)])
    assert [wrong.split(":")[0] for wrong in wrong_findings(run, report)] == ["wrongly named"]
    assert wrong_findings(a_run(finding=run.finding, also=["train.py:9"]), report) == []
    assert wrong_findings(a_run(verdict="no_leak"), report) != []


def test_columns_are_asserted_where_they_are_strict() -> None:
    expected = [ExpectedFinding(site="train.py:8", cause="global-grows", holder="SAVED")]
    report = a_report([finding(path="__main__.SAVED[*]")])
    assert wrong_findings(a_run(finding=expected), report) == []
    assert len(wrong_findings(a_run(finding=expected, strict=["site"]), report)) == 1
    assert len(wrong_findings(a_run(finding=expected, strict=["cause", "holder"]), report)) == 1


def test_a_wide_interval_is_no_knowledge() -> None:
    assert wrong_growth(a_run(), a_report([])) == []
    assert wrong_growth(a_run(), a_report([], low=400, high=1600)) != []
    assert wrong_growth(a_run(), a_report([], low=2000, high=2400)) != []


def test_the_summary_counts() -> None:
    expected = [ExpectedFinding(site="train.py:7", cause="global-grows", holder="SAVED")]
    right = Score(a_run(finding=expected), a_report([finding(path="m.SAVED", cause="global-grows")]), 2.0, 6)
    innocent = a_run(verdict="no_leak", bytes_per_cycle=None, tolerance=None)
    accused = Score(innocent, a_report([], low=50_000, high=60_000), 3.0)
    lines = summary([right, accused])
    assert "verdict 1 of 2 (50 %)" in lines
    assert "innocents accused 1 of 1" in lines
    assert "site 1 of 1 (100 %)" in lines
    assert "cause 1 of 1 (100 %)" in lines
    assert "holder 1 of 1 (100 %)" in lines
    assert "truth in the 95 % interval, leaks 1 of 1 (100 %)" in lines
    assert "truth in the 95 % interval, innocents 0 of 1 (0 %)" in lines
    assert "wall time 5 s" in lines


@pytest.mark.parametrize("more", ['colour = "red"', 'strict = ["verdict"]', 'also = ["train.py:99"]'])
def test_a_misspelt_truth_is_an_error(tmp_path: Path, more: str) -> None:
    (tmp_path / "train.py").write_text("pass\n")
    truth = tmp_path / "truth.toml"
    good = 'about = "a"\n[[run]]\nname = "n"\nseconds = 1\nverdict = "no_leak"\nunit = ["epoch"]\n'
    truth.write_text(good)
    assert read(truth)[0].name == "n"
    truth.write_text(good + more + "\n")
    with pytest.raises((TypeError, ValueError, IndexError)):
        read(truth)


def test_growth_is_compared_with_the_truth_of_the_unit_that_is_reported() -> None:
    run = a_run(bytes_per_cycle=10, bytes_per={"epoch": 1000})
    assert wrong_growth(run, a_report([])) == []
    assert Score(run, a_report([]), 1.0).bytes
    other = a_run(bytes_per_cycle=10, bytes_per={"step": 1000})
    assert len(wrong_growth(other, a_report([]))) == 2


def test_of_a_child_no_growth_and_no_place_is_compared() -> None:
    run = Run(program="p", name="n", seconds=1, unit=["epoch"], verdict="leak", subject="child")
    assert wrong_growth(run, a_report([])) == []
    assert wrong_findings(run, a_report([finding()])) == []
    assert Score(run, a_report([]), 1.0).covered is None


def test_modules_that_are_not_installed_are_named() -> None:
    assert a_run(requires=["json", "no_such_module"]).missing() == ["no_such_module"]


@pytest.mark.parametrize(
    "wrong",
    [
        'verdict = "leak"\nsubject = "program"',
        'verdict = "no_leak"\nsubject = "parent"',
        'verdict = "no_leak"\nbytes_per = { line = 5 }',
    ],
)
def test_a_truth_that_says_too_little_or_too_much_is_refused(tmp_path: Path, wrong: str) -> None:
    truth = tmp_path / "truth.toml"
    truth.write_text(f'about = "x"\n[[run]]\nname = "n"\nseconds = 1\nunit = ["epoch"]\n{wrong}\n')
    with pytest.raises(ValueError, match=r"truth\.toml: n: "):
        read(truth)


def test_a_score_travels_as_text_between_workers() -> None:
    run = all_runs()[0]
    score = Score(run, a_report([finding()]), seconds=12.5, first_right=3)
    assert Score.from_text(score.to_text()) == score
