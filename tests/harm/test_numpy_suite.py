"""numpy's own tests end the same under the recorder as without. Needs `hypothesis` beside pytest."""

from __future__ import annotations

import importlib.util
import re
import sys

import pytest
from harm_bench import Bench

PARTS = [
    "numpy/_core/tests/test_multiarray.py",
    "numpy/_core/tests/test_mem_policy.py",
    "numpy/lib",
    "numpy/ma",
]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(importlib.util.find_spec("hypothesis") is None, reason="hypothesis is not installed"),
]


@pytest.mark.parametrize("part", PARTS)
def test_outcomes(bench: Bench, part: str) -> None:
    import numpy

    where = numpy.__path__[0].removesuffix("numpy") + part
    # What numpy.test() runs too: its slow ones ask for more memory than there is.
    fast = ("-m", "not slow")
    args = ("-m", "pytest", "-v", *fast, "-p", "no:cacheprovider", "--rootdir", bench.folder, where)
    plain = bench.run(sys.executable, *args, patience=1800)
    watched = bench.watched(*args, options=(), patience=1800)
    assert lines(plain.stdout) == lines(watched.stdout)
    assert len(lines(plain.stdout)) > 10
    assert watched.code == plain.code


def lines(stdout: str) -> list[str]:
    """`path::test PASSED` and its kin, sorted: a summary of all would take pytest as long as the tests."""
    return sorted(re.findall(r"^.*::.* (?:PASSED|FAILED|SKIPPED|ERROR|XFAIL|XPASS)", stdout, re.MULTILINE))
