"""Verdicts on notebooks: who leaks is told with its cell, its name and its change; nobody else is accused."""

from __future__ import annotations

import nilometer
import pytest
from kernels import Kernel
from notebooks import HEALTHY

MIB = 1 << 20


def test_healthy_notebooks_are_not_accused(recorded: Kernel) -> None:
    accused = {}
    for name, cells in HEALTHY.items():
        # One kernel for all of them: the names go, the recording goes on.
        recorded.run("%reset -f", *cells)
        assert recorded.capture is not None
        report = nilometer.read(recorded.capture)
        if report.verdict == "leak":
            accused[name] = str(report)
    assert accused == {}


def test_an_output_that_is_kept(recorded: Kernel) -> None:
    cell = "smooth(500_000)"
    shown = recorded.run(
        "import numpy as np\ndef smooth(size):\n    return np.cumsum(np.ones(size))",
        *[cell] * 12,
        "%nilometer",
    )
    assert shown["error"] == ""
    assert recorded.capture is not None
    report = nilometer.read(recorded.capture)
    assert report.verdict == "leak", report.reason
    assert report.growth is not None
    assert abs(report.growth.bytes_per_cycle.estimate - 500_000 * 8) < MIB / 4
    finding = report.findings[0]
    assert finding.cause == "notebook-keeps-output"
    assert finding.holder is not None
    assert finding.holder.path == "Out[*]"
    assert finding.change is not None
    assert "`;`" in finding.change
    assert any(site.file.startswith("In [") for site in finding.sites), finding.sites


def test_a_list_that_gets_a_model_with_each_run(recorded: Kernel) -> None:
    recorded.run(
        "import numpy as np\nclass Model:\n    def __init__(self):\n        self.w = np.ones(300_000)",
        "models = []",
        *["model = Model()\nmodels.append(model)"] * 12,
        "%nilometer",
    )
    assert recorded.capture is not None
    report = nilometer.read(recorded.capture)
    assert (report.verdict, report.cycles.kind) == ("leak", "cell"), report.reason
    finding = report.findings[0]
    assert finding.holder is not None
    assert finding.holder.path.startswith("__main__.models[*]")
    kept = [site for site in finding.sites if site.role == "kept_at"]
    assert [(site.file[:4], site.line) for site in kept[:1]] == [("In [", 2)]
    assert finding.change is not None


@pytest.mark.parametrize("cell", ["kept.append(bytearray(2_000_000))", "bytearray(2_000_000)"])
def test_without_the_recorder(plain: Kernel, cell: str) -> None:
    shown = plain.run("kept = []", *[cell] * 12, "%nilometer")
    assert "LEAK" in shown["text"], shown["text"]
    assert "What cells left" in shown["text"]
    assert ("kept" if "kept" in cell else "Out[") in shown["text"]
