"""`nilometer status`: processes that run and that have ended, torn captures, and what probes are told."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from cli_bench import COMMAND, PATIENCE, Bench

LEAKS = """
import sys, time
import nilometer
kept = []
for turn in range(80):
    kept.append(bytes(200_000))
    time.sleep(0.005)
    nilometer.cycle()
print("ready", flush=True)
sys.stdin.readline()
"""
FINE = LEAKS.replace("kept.append(bytes(200_000))", "bytes(200_000)")


def status(bench: Bench, *words: str) -> subprocess.CompletedProcess[bytes]:
    return bench.run([*COMMAND, "status", *words])


def processes(bench: Bench, *words: str) -> list[dict[str, Any]]:
    told = status(bench, *words, "--format", "json")
    assert told.returncode == 0, told.stderr
    document = json.loads(told.stdout)
    assert document["schema"] == "nilometer.status/1"
    rows: list[dict[str, Any]] = document["processes"]
    return rows


@pytest.fixture
def leaking(bench: Bench) -> Any:
    """A program that has leaked and waits; its end is a line on its stdin."""
    running = bench.start("-q", "-o", "leak.nilo", bench.script(LEAKS))
    assert bench.said(running) == b"ready\n"
    yield running
    running.kill()
    running.communicate(timeout=PATIENCE)


def test_a_program_that_runs_is_found_in_four_ways_and_told_once(
    bench: Bench, leaking: subprocess.Popen[bytes]
) -> None:
    [row] = processes(bench, "leak.nilo")
    assert (row["running"], row["verdict"], row["unit"], row["cycles"]) == (True, "leak", "step", 80)
    assert row["growth"]["low"] > 100_000
    assert row["headroom_bytes"] > 0
    ways = [(".",), (str(row["pid"]),), (str(leaking.pid),), ()]
    for way in ways:
        mine = [one for one in processes(bench, *way) if one["pid"] == row["pid"]]
        assert [one["verdict"] for one in mine] == ["leak"], way


def test_exit_codes_tell_probes(bench: Bench, leaking: subprocess.Popen[bytes]) -> None:
    assert status(bench, "leak.nilo").returncode == 0
    told = status(bench, "leak.nilo", "--exit-code")
    assert (told.returncode, told.stderr) == (1, b"")
    assert b"LEAK" in told.stdout
    (bench.folder / "empty").mkdir()
    assert status(bench, "empty").returncode == 0
    told = status(bench, "empty", "--exit-code")
    assert told.returncode == 2
    assert b"there is no capture in this folder" in told.stderr
    for nothing in ("missing.nilo", "2147483647"):
        told = status(bench, nothing, "--exit-code")
        assert (told.returncode, told.stdout) == (2, b""), nothing
        assert told.stderr.startswith(b"error: "), nothing


def test_the_ended_the_well_and_the_torn_stand_side_by_side(bench: Bench) -> None:
    running = bench.start("-q", "-o", "fine.nilo", bench.script(FINE))
    out, err = running.communicate(b"\n", timeout=PATIENCE)
    assert running.returncode == 0, (out, err)
    whole = (bench.folder / "fine.nilo").read_bytes()
    half = whole[: len(whole) // 2]
    (bench.folder / "half.nilo").write_bytes(half)
    (bench.folder / "head.nilo").write_bytes(whole[:100])
    (bench.folder / "empty.nilo").write_bytes(b"")
    (bench.folder / "other.nilo").write_bytes(b"no capture at all" * 1000)
    told = {Path(row["capture"]).name: row for row in processes(bench, ".")}
    assert told["fine.nilo"]["running"] is False
    assert told["fine.nilo"]["verdict"] in ("no_leak", "undecided")
    assert told["half.nilo"]["error"] is None
    for name, word in (("head", "was cut"), ("empty", "is empty"), ("other", "is not a nilometer capture")):
        assert word in told[f"{name}.nilo"]["error"], name
    shown = status(bench, ".", "--exit-code")
    assert shown.returncode == 2
    assert shown.stdout.count(b"unreadable: ") == 3
    assert shown.stdout.count(b" ended ") == 2
    assert b"\x1b" not in shown.stdout


def test_a_killed_run_has_ended(bench: Bench) -> None:
    running = bench.start("-q", "-o", "killed.nilo", bench.script(LEAKS))
    assert bench.said(running) == b"ready\n"
    [row] = processes(bench, "killed.nilo")
    running.send_signal(signal.SIGKILL)
    running.communicate(timeout=PATIENCE)
    # The kernel ends the program with its supervisor; nobody may be there to wait for it.
    stat = Path(f"/proc/{row['pid']}/stat")
    until = time.monotonic() + PATIENCE
    while stat.exists() and ") Z" not in stat.read_text(encoding="ascii") and time.monotonic() < until:
        time.sleep(0.01)
    [row] = processes(bench, "killed.nilo")
    assert (row["running"], row["verdict"]) == (False, "leak")


def test_watching_without_a_terminal_prints_round_after_round(
    bench: Bench, leaking: subprocess.Popen[bytes]
) -> None:
    watching = subprocess.Popen(
        [*COMMAND, "status", "leak.nilo", "--watch", "--format", "json"],
        cwd=bench.folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    first, second = bench.said(watching), bench.said(watching)
    assert json.loads(first)["processes"][0]["verdict"] == "leak"
    assert json.loads(second)["schema"] == "nilometer.status/1"
    watching.send_signal(signal.SIGINT)
    _, err = watching.communicate(timeout=PATIENCE)
    assert (watching.returncode, err) == (0, b"")
