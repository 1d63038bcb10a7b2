"""The cycle of programs that no framework's hook knows: printed lines, loops, fast marks, windows."""

from __future__ import annotations

import json
from typing import Any

import pytest
from cli_bench import Bench

ROUNDS = """
import time
kept = []
for number in range(1, 25):
    block = bytearray(300_000)
    {keep}
    time.sleep(0.02)
    print(f"round {{number}}/24  best {{number / 7:.3f}}")
"""


def report(bench: Bench, *args: str) -> dict[str, Any]:
    capture = str(bench.captures()[-1])
    told: dict[str, Any] = json.loads(bench.report(capture, "--format", "json", *args).stdout)
    return told


@pytest.mark.parametrize(("keep", "verdict"), [("kept.append(block)", "leak"), ("", "no_leak")])
def test_printed_rounds_in_a_pipe_are_the_cycle(bench: Bench, keep: str, verdict: str) -> None:
    done = bench.watched("-q", bench.script(ROUNDS.format(keep=keep)))
    assert done.stdout.count(b"round") == 24
    told = report(bench)
    assert told["verdict"] == verdict, told["reason"]
    assert told["cycles"]["found_by"] == "the printed line `round N/N best N`"
    assert (told["cycles"]["unit"], told["cycles"]["kind"], told["cycles"]["count"]) == ("round", "line", 24)
    if verdict == "leak":
        assert abs(told["growth"]["bytes_per_cycle"]["estimate"] - 300_000) < 15_000


def test_the_unit_can_be_chosen_later(bench: Bench) -> None:
    bench.watched("-q", bench.script(ROUNDS.format(keep="")))
    assert report(bench, "--cycle", "line:round *")["cycles"]["kind"] == "line"
    assert report(bench, "--cycle", "window")["cycles"]["kind"] == "window"
    refused = bench.report(str(bench.captures()[0]), "--cycle", "epoch")
    assert refused.returncode == 2
    assert b"no cycle called epoch repeats" in refused.stderr
    assert b"'line:round N/N best N'" in refused.stderr


def test_progress_bars_count_per_update(bench: Bench) -> None:
    text = (
        "import sys, time\n"
        "kept = []\n"
        "for n in range(1, 41):\n"
        "    kept.append(bytearray(200_000)); time.sleep(0.02)\n"
        "    bar = '#' * (n // 4)\n"
        "    sys.stderr.write(f'\\r{n * 100 // 40:3d}%|{bar:<10}| {n}/40 [00:{n:02d}<00:09]')\n"
        "    sys.stderr.flush()\n"
    )
    bench.watched("-q", bench.script(text))
    told = report(bench)
    assert (told["verdict"], told["cycles"]["kind"]) == ("leak", "line"), told["reason"]
    assert 36 <= told["cycles"]["count"] <= 40
    assert abs(told["growth"]["bytes_per_cycle"]["estimate"] - 200_000) < 10_000


FAST = """
import nilometer
kept = []
def main():
    for turn in range(3000):
        {keep}
        nilometer.cycle()
main()
total = sum(range(20_000_000))
"""


@pytest.mark.parametrize(
    ("keep", "verdict"), [("kept.append(bytes(3000 + turn % 2))", "leak"), ("", "no_leak")]
)
def test_cycles_of_a_microsecond(bench: Bench, keep: str, verdict: str) -> None:
    bench.watched("-q", bench.script(FAST.format(keep=keep)))
    told = report(bench)
    assert told["verdict"] == verdict, told["reason"]
    assert (told["cycles"]["unit"], told["cycles"]["count"]) == ("step", 3000)
    if verdict == "leak":
        assert abs(told["growth"]["bytes_per_cycle"]["estimate"] - 3033) < 300


@pytest.mark.parametrize(("keep", "verdict"), [("kept.append(block)", "leak"), ("", "no_leak")])
def test_a_silent_loop_is_the_cycle(bench: Bench, keep: str, verdict: str) -> None:
    text = f"""
import time
kept = []
def main():
    for number in range(60):
        block = bytearray(200_000)
        {keep}
        for inner in range(1000):
            inner * inner
        time.sleep(0.1)
main()
"""
    bench.watched("-q", bench.script(text))
    told = report(bench)
    assert told["verdict"] == verdict, told["reason"]
    assert told["cycles"]["kind"] == "loop"
    assert told["cycles"]["found_by"] == "the loop at prog.py:5"
    if verdict == "leak":
        assert abs(told["growth"]["bytes_per_cycle"]["estimate"] - 200_000) < 10_000


def test_a_program_that_fails_at_once_gets_one_sentence(bench: Bench) -> None:
    done = bench.watched("not_there.py")
    assert done.returncode == 2
    text = done.stderr.decode()
    assert "UNDECIDED" not in text
    assert "Too little repeated for a verdict." in " ".join(text.split())
    # The error of Python, that sentence, where the capture is.
    assert len([line for line in text.splitlines() if line.strip()]) <= 4
