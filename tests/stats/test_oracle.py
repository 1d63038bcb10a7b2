"""The Rust statistics against SciPy and pyMannKendall, on random series and on the edges.

Needs scipy, numpy and pymannkendall; skipped where they are missing. The Rust side is the crate's
`series` example.
"""

from __future__ import annotations

import json
import math
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

np = pytest.importorskip("numpy")
scipy_stats = pytest.importorskip("scipy.stats")
pymannkendall = pytest.importorskip("pymannkendall")

ROOT = Path(__file__).resolve().parents[2]
Case = tuple[str, list[float], list[float]]


def _cases() -> list[Case]:
    rng = np.random.default_rng(20240607)
    cases: list[Case] = []
    for n in (4, 5, 7, 10, 19, 40, 100, 301):
        x = np.arange(n, dtype=float)
        uneven = np.cumsum(rng.integers(1, 6, n)).astype(float)
        noises = {
            "white": rng.normal(size=n) * 1e5,
            "walk": np.cumsum(rng.normal(size=n)) * 1e4,
            "trend": x * 4096 + rng.normal(size=n) * 1e4,
            "tied": rng.integers(0, 4, n) * 4096.0,
            "huge": 1e12 + x * 1e6 + np.round(rng.normal(size=n) * 1e6),
            "falling": -x * 300 + rng.normal(size=n) * 100,
            "memory": np.convolve(rng.normal(size=n + 8), np.ones(9), "valid") * 1e4,
        }
        for name, y in noises.items():
            cases.append((f"{name}-{n}", x.tolist(), y.tolist()))
            cases.append((f"{name}-{n}-uneven", uneven.tolist(), y.tolist()))
    steps = [float(i // 5) * 1e6 for i in range(40)]
    saw = [float(i % 12) * 160e3 + i * 3.5e3 for i in range(60)]
    edges = {"equal": [7.0] * 12, "staircase": steps, "sawtooth": saw, "one-off": [0.0] * 9 + [1e9]}
    for name, y in edges.items():
        cases.append((name, [float(i) for i in range(len(y))], y))
    return cases


CASES = _cases()


@pytest.fixture(scope="session")
def answers() -> dict[str, dict[str, Any]]:
    cargo = shutil.which("cargo")
    if cargo is None:
        pytest.skip("cargo is not installed")
    lines = "\n".join(json.dumps({"x": x, "y": y}) for _, x, y in CASES) + "\n"
    command = [cargo, "run", "--quiet", "--release", "--package", "nilometer-stats", "--example", "series"]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr
    return {case[0]: json.loads(line) for case, line in zip(CASES, done.stdout.splitlines(), strict=True)}


def _close(mine: float, theirs: float, *, scale: float = 1.0) -> bool:
    return math.isclose(mine, theirs, rel_tol=1e-7, abs_tol=1e-9 * scale)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c[0])
def test_theil_sen(case: Case, answers: dict[str, dict[str, Any]]) -> None:
    name, x, y = case
    theirs = float(scipy_stats.theilslopes(y, x).slope)
    assert _close(answers[name]["theil_sen"], theirs, scale=max(map(abs, y)))


@pytest.mark.parametrize("case", CASES, ids=lambda c: c[0])
def test_mann_kendall(case: Case, answers: dict[str, dict[str, Any]]) -> None:
    name, _, y = case
    theirs = pymannkendall.original_test(y)
    mine = answers[name]["mann_kendall"]
    for mine_value, their_value in ((mine["s"], theirs.s), (mine["z"], theirs.z), (mine["p"], theirs.p)):
        # pyMannKendall takes p as 1 - Phi(z), which has no digits left far out.
        assert math.isclose(mine_value, float(their_value), rel_tol=1e-7, abs_tol=1e-9)
    assert _close(mine["tau"], float(theirs.Tau))


def _ranks_with_true_ties(values: Any) -> Any:
    """The two points that gave the median slope are tied once it is taken out, unless rounding parts them."""
    grain = 1e-11 * max(float(np.ptp(values)), 1e-300)
    return scipy_stats.rankdata(np.round(values / grain))


@pytest.mark.parametrize("case", CASES, ids=lambda c: c[0])
def test_hamed_rao(case: Case, answers: dict[str, dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    name, _, y = case
    monkeypatch.setattr(pymannkendall.pymannkendall, "rankdata", _ranks_with_true_ties)
    mine = answers[name]["hamed_rao"]
    if len(set(y)) == 1:
        assert mine["z"] == 0
        assert mine["p"] == 1
        return
    with np.errstate(invalid="ignore"):
        theirs = pymannkendall.hamed_rao_modification_test(y)
    if not theirs.var_s > 0:
        # Alternation in a short series drives the corrected variance below zero; ours then takes the plain.
        assert mine["z"] == answers[name]["mann_kendall"]["z"]
        return
    assert math.isclose(mine["z"], float(theirs.z), rel_tol=1e-7, abs_tol=1e-9)
    assert math.isclose(mine["p"], float(theirs.p), rel_tol=1e-6, abs_tol=1e-9)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c[0])
def test_growth_is_in_order(case: Case, answers: dict[str, dict[str, Any]]) -> None:
    found = answers[case[0]]["growth"]
    assert found["low"] <= found["estimate"] <= found["high"]
