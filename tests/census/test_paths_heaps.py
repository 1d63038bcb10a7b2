"""Random heaps against a slow reference in Python: a thousand, shared out among the interpreters."""

from __future__ import annotations

from paths_support import run

HEAPS = 250


def test_random_heaps(python: str, probe: str) -> None:
    seed = str(int(python.rsplit(".", 1)[-1]) if python[-1].isdigit() else 11)
    said = run(python, probe, "paths_heaps.py", str(HEAPS), seed)
    assert said["wrong"] == []
    assert said["objects"] > 4 * HEAPS
    assert said["paths"] > 1.5 * HEAPS
