"""Workers that serve for a while and are replaced: the job is judged by all their lives together."""

from __future__ import annotations

import json
from typing import Any

import pytest
from cli_bench import COMMAND, PATIENCE, Bench

# A server that replaces its worker after so many requests, as `gunicorn --max-requests` does.
SERVES = """
import os, sys, time
import nilometer
answers = []
cache = {}
def serve(request):
    page = request * 37 % 50
    cache.setdefault(page, os.urandom(4_000))
    if sys.argv[1] == "keeps":
        answers.append(os.urandom(8_000))
    time.sleep(float(sys.argv[2]))
for life in range(6):
    if os.fork() == 0:
        for request in range(300):
            serve(request)
            nilometer.cycle("request")
        sys.exit(0)
    os.wait()
print("served")
"""
# One process for each task, as RQ's worker has.
FORKS = """
import os, time
import nilometer
kept = []
for task in range(12):
    if os.fork() == 0:
        kept.append(os.urandom(20_000_000)); time.sleep(1.2)
        nilometer.cycle("request")
        os._exit(0)
    os.wait()
print("served")
"""

# `argv`: what a task does, how long it takes, which pool.
POOL = """
import concurrent.futures, multiprocessing, os, sys, time
kept = []
def task(n):
    time.sleep(float(sys.argv[2]))
    if sys.argv[1] == "keeps":
        kept.append(os.urandom(20_000))
if __name__ == "__main__":
    forked = multiprocessing.get_context("fork")
    if sys.argv[3] == "executor":
        pool = concurrent.futures.ProcessPoolExecutor(2, mp_context=forked)
        results = pool.map(task, range(1200))
    else:
        pool = forked.Pool(2, maxtasksperchild=150 if sys.argv[3] == "replacing" else None)
        results = pool.imap_unordered(task, range(1200))
    with pool:
        assert len(list(results)) == 1200
    print("served")
"""


# The program itself only waits: it must live some 12 s before its windows of a second clear it.
def job(bench: Bench, code: str, *arguments: str) -> tuple[dict[str, Any], str]:
    done = bench.watched("-o", "x.nilo", bench.script(code), *arguments)
    assert (done.returncode, done.stdout) == (0, b"served\n"), done.stderr
    report: dict[str, Any] = json.loads(bench.report("x.nilo", "--format", "json").stdout)
    return report, " ".join(done.stderr.decode().split())


def test_what_each_life_keeps_is_a_leak_of_the_job(bench: Bench) -> None:
    report, told = job(bench, SERVES, "keeps", "0.004")
    assert report["verdict"] == "leak", report["reason"]
    # It only waits, for a few seconds, which may be too short a run to clear it.
    assert report["job"]["program"] != "leak", report["reason"]
    lives = report["job"]["lives"]
    assert (lives["unit"], lives["count"]) == ("request", 6)
    assert 7_000 < lives["bytes_per_cycle"]["estimate"] < 9_000, lives
    assert "LEAK workers keep" in told, told
    assert "recycling hides it" in told
    assert "held by __main__.answers[*]" in told
    culprit = report["job"]["culprit"]["pid"]
    assert [path.name for path in bench.captures()] == [f"x.{culprit}.nilo", "x.nilo"], "one life is shown"


@pytest.mark.parametrize("pool", ["executor", "keeping"])
def test_a_worker_that_stays_counts_its_tasks(bench: Bench, pool: str) -> None:
    report, told = job(bench, POOL, "keeps", "0.005", pool)
    assert report["verdict"] == "leak", report["reason"]
    finding = report["findings"][0]
    assert finding["process"] == report["job"]["culprit"]["pid"]
    assert "KiB per task" in finding["sentence"], finding
    assert "__main__.kept[*]" in finding["sentence"], finding
    assert "LEAK +19." in told, told


@pytest.mark.parametrize("pool", ["executor", "keeping"])
def test_a_worker_that_stays_and_keeps_nothing(bench: Bench, pool: str) -> None:
    report, told = job(bench, POOL, "not", "0.005", pool)
    assert report["verdict"] != "leak", report["reason"]
    assert "2 forked children were recorded: no leak in them" in told, told


def test_a_cache_that_fills_in_each_life_is_none(bench: Bench) -> None:
    report, told = job(bench, SERVES, "not", "0.010")
    assert (report["verdict"], report["job"]["lives"]) == ("no_leak", None), report["reason"]
    assert "LEAK workers keep" not in told
    assert [path.name for path in bench.captures()] == ["x.nilo"]


def test_a_process_for_each_task_keeps_nothing(bench: Bench) -> None:
    report, told = job(bench, FORKS)
    assert "Child" not in told, "none was recorded"
    assert (report["verdict"], report["job"]["lives"]) == ("no_leak", None), report["reason"]
    assert [path.name for path in bench.captures()] == ["x.nilo"]


def test_a_pool_that_replaces_its_workers(bench: Bench) -> None:
    report, told = job(bench, POOL, "keeps", "0.005", "replacing")
    assert report["verdict"] == "leak", report["reason"]
    lives = report["job"]["lives"]
    assert (lives["unit"], lives["judged"]) == ("task", 8)
    assert 18_000 < lives["bytes_per_cycle"]["estimate"] < 22_000, lives
    assert "held by __main__.kept[*]" in told


def test_a_pool_whose_tasks_keep_nothing(bench: Bench) -> None:
    report, _ = job(bench, POOL, "not", "0.020", "replacing")
    assert (report["verdict"], report["job"]["lives"]) == ("no_leak", None), report["reason"]


def test_a_service_is_one_row_with_its_workers_below(bench: Bench) -> None:
    """While it runs as afterwards: what its captures say together, also of lives that are over."""
    waits = SERVES.replace('print("served")', 'print("served", flush=True); sys.stdin.readline()')
    running = bench.start("-q", "-o", "x.nilo", bench.script(waits), "keeps", "0.004")
    assert bench.said(running) == b"served\n"
    for way in ("x.nilo", "."):
        told = bench.run([*COMMAND, "status", way, "--exit-code", "--format", "json"])
        assert told.returncode == 1, told.stderr
        program, *lives = json.loads(told.stdout)["processes"]
        assert (program["verdict"], program["running"]) == ("leak", True), program["reason"]
        service = program["service"]
        assert (service["workers"], service["ended"], service["unit"]) == (0, 6, "request"), way
        assert service["cycles"] >= 6 * 290
        assert 7_000 < service["growth"]["estimate"] < 9_000
        assert {one["worker_of"] for one in lives} == {program["pid"]}
    shown = bench.run([*COMMAND, "status", "x.nilo"]).stdout.decode()
    assert "judged with 6 workers that ended" in shown
    running.communicate(b"\n", timeout=PATIENCE)
    assert running.returncode == 0
