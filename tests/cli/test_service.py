"""A program without cycles, as a service is: seconds serve instead, and who holds what is looked at."""

from __future__ import annotations

import json
from typing import Any

import pytest
from cli_bench import Bench

SERVES = """
import threading, time
answers = {}
def serve():
    for request in range(340):
        answers[request] = bytes(100_000)
        time.sleep(0.07)
thread = threading.Thread(target=serve)
thread.start()
while thread.is_alive():
    time.sleep(0.2)
"""
# Reads its data for some seconds, as a program does before it trains.
READS = """
import time
rows = []
for part in range(40):
    rows.append(bytes(500_000))
    time.sleep(0.1)
"""


def report(bench: Bench, code: str) -> dict[str, Any]:
    assert bench.watched("--quiet", bench.script(code)).returncode == 0
    [capture] = bench.captures()
    said: dict[str, Any] = json.loads(bench.report(capture.name, "--format", "json").stdout)
    return said


@pytest.mark.slow
def test_who_holds_what_a_service_keeps_is_named(bench: Bench) -> None:
    said = report(bench, SERVES)
    assert (said["verdict"], said["cycles"]["unit"]) == ("leak", "window")
    [finding] = said["findings"]
    assert finding["holder"]["path"] == "__main__.answers[*]"


@pytest.mark.slow
def test_nobody_looks_while_data_is_read(bench: Bench) -> None:
    assert report(bench, READS)["holders"] == []
