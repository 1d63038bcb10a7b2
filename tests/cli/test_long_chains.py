"""A list that is linked by the program itself: each object leads to the one before."""

from __future__ import annotations

import json

from cli_bench import Bench

CHAIN = """
import nilometer

class Event:
    def __init__(self, cause, number):
        self.cause, self.text = cause, f"event {number} happened" * 8

last = None
for turn in range(40):
    for number in range(500):
        last = Event(last, number)
    nilometer.cycle()
print("done")
"""
# A longer path is cut: each object of the chain would have one of its own, through all before it.
MAX_STEPS = 32


def test_a_chain_of_20000_objects_has_short_paths(bench: Bench) -> None:
    done = bench.watched("-o", "x.nilo", bench.script(CHAIN))
    assert (done.returncode, done.stdout) == (0, b"done\n"), done.stderr
    assert b"LEAK" in done.stderr
    report = json.loads(bench.report("x.nilo", "--format", "json").stdout)
    paths = [finding["holder"]["path"] for finding in report["findings"] if finding["holder"]]
    assert paths, report["findings"]
    assert all(path.count(".") <= MAX_STEPS + 1 for path in paths), paths
