"""The two examples of `make demo`: the leak is told to the byte, its mended twin is cleared."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from corpus_truth import CORPUS
from test_corpus import Report, python, text_of

EXAMPLES = CORPUS.parent / "examples"
KEPT_PER_EPOCH = 8_000_000

pytestmark = pytest.mark.slow


def run_example(name: str, folder: Path) -> tuple[str, Report]:
    """The screen at the end, and the report."""
    ran = python("-m", "nilometer", "run", "-o", folder / "x.nilo", EXAMPLES / name, cwd=folder)
    assert ran.returncode == 0, text_of(ran)
    told = python("-m", "nilometer", "report", folder / "x.nilo", "--format", "json", cwd=folder)
    return ran.stderr.decode(), json.loads(told.stdout)


def test_leaky(tmp_path: Path) -> None:
    screen, report = run_example("leaky.py", tmp_path)
    assert report["verdict"] == "leak", screen
    assert "\nLEAK  +7." in screen
    growth = report["growth"]["bytes_per_cycle"]
    assert abs(growth["estimate"] - KEPT_PER_EPOCH) < 0.1 * KEPT_PER_EPOCH
    assert report["forecast"]["cycles_left"] > 0
    [finding] = report["findings"]
    assert (finding["cause"], finding["confidence"]) == ("callback-keeps", "certain")
    assert finding["holder"]["path"] == "__main__.logger.saved[*]"
    sites = {site["role"]: site["text"] for site in finding["sites"]}
    assert "self.saved.append" in sites["kept_at"]
    assert "predict(" in sites["made_at"]
    once = {c["phase"]: c for c in report["components"] if c["kind"] == "one-time"}
    assert "float32 twice" in once["fit_entry"]["sentence"]
    assert once["first_batch"]["bytes"] > 0


def test_healthy(tmp_path: Path) -> None:
    screen, report = run_example("healthy.py", tmp_path)
    assert report["verdict"] == "no_leak", screen
    assert "\nNO LEAK  " in screen
    assert report["forecast"] is None
    assert report["findings"] == []
