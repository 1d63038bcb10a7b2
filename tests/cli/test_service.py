"""Services: requests are their cycles where a hook knows them, else seconds; who holds what is looked at."""

from __future__ import annotations

import json
from typing import Any

import pytest
from cli_bench import COMMAND, PATIENCE, Bench

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
# The main thread waits in one call for ever, as that of many a service does.
WAITS = """
import http.server, json, threading, time, urllib.request
answers = {}
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        answers[self.path] = bytes(100_000)
        self.send_response(200)
        self.end_headers()
    def log_message(self, *words): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
serving = threading.Thread(target=server.serve_forever)
serving.start()
def ask():
    print("ready", flush=True)
    for request in range(REQUESTS):
        with urllib.request.urlopen(f"http://127.0.0.1:{server.server_port}/{request}") as answer:
            assert answer.status == 200
        time.sleep(0.07)
    server.shutdown()
threading.Thread(target=ask).start()
serving.join()
"""
# Reads its data for some seconds, as a program does before it trains.
READS = """
import time
def read(part):
    time.sleep(0.1)
    return bytes(500_000)
# No loop of Python's: one would be a cycle, and what grows with each turn is looked into.
rows = list(map(read, range(40)))
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
def test_a_service_whose_main_thread_waits_is_looked_into(bench: Bench) -> None:
    said = report(bench, WAITS.replace("REQUESTS", "340"))
    assert (said["verdict"], said["cycles"]["unit"], said["cycles"]["count"]) == ("leak", "request", 340)
    assert said["findings"][0]["holder"]["path"] == "__main__.answers[*]"
    assert said["losses"] == []


def test_a_census_is_answered_while_the_main_thread_waits(bench: Bench) -> None:
    service = bench.start("-q", "-o", "service.nilo", bench.script(WAITS.replace("REQUESTS", "100")))
    assert bench.said(service) == b"ready\n"
    told = bench.run([*COMMAND, "census", "service.nilo", "--format", "json"])
    assert told.returncode == 0, told.stderr
    _, errors = service.communicate(timeout=PATIENCE)
    assert service.returncode == 0, errors


@pytest.mark.slow
def test_nobody_looks_while_data_is_read(bench: Bench) -> None:
    assert report(bench, READS)["holders"] == []
