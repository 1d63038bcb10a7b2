"""Garbage that no full collection looks at within the run: looks among young objects tell it."""

from __future__ import annotations

import json
from typing import Any

from cli_bench import Bench

# So many old objects put off a full collection for longer than the program runs. Agents and their world refer
# to each other, and get old while the last three worlds are in use.
WORLDS = """
import collections, sys, time
class Agent:
    def __init__(self, world, number):
        self.world, self.number, self.notes = world, number, {"number": number}
class World:
    def __init__(self, size):
        self.agents = [Agent(self, number) for number in range(size)]
        self.by_number = {agent.number: agent for agent in self.agents}
old = [[number] for number in range(300_000)]
recent, log = collections.deque(maxlen=3), []
for turn in range(60):
    recent.append(World(300))
    if sys.argv[1] == "keeps":
        log.append(bytearray(20_000))
    time.sleep(0.12)
    print("turn", turn, flush=True)
"""


def report_of(bench: Bench, argument: str) -> dict[str, Any]:
    done = bench.watched("-o", "x.nilo", bench.script(WORLDS), argument)
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(bench.report("x.nilo", "--format", "json").stdout)
    return report


def test_garbage_that_waits_is_no_leak(bench: Bench) -> None:
    report = report_of(bench, "not")
    assert report["verdict"] == "no_leak", report["reason"]
    assert "garbage that waits" in report["reason"], "another witness cleared it"


def test_what_is_kept_beside_it_is_told_without_it(bench: Bench) -> None:
    report = report_of(bench, "keeps")
    assert report["verdict"] == "leak", report["reason"]
    kept = report["growth"]["bytes_per_cycle"]
    assert 0.8 * 20_000 < kept["estimate"] <= kept["high"] < 1.3 * 20_000, kept
