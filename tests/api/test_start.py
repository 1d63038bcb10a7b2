"""`nilometer.start()`: a program that records itself, once or often, and is as it was afterwards."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

PATIENCE = 120  # seconds until a hang is called one

LEAKS = """
import nilometer
kept = []
def rounds(count):
    for _ in range(count):
        kept.append(bytearray(1 << 20))
        nilometer.cycle()
"""


def run(folder: Path, program: str, *options: str) -> Any:
    """What the program prints as its last line, which is JSON."""
    script = folder / "own.py"
    script.write_text(LEAKS + program, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, *options, script.name], cwd=folder, capture_output=True, timeout=PATIENCE, text=True
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_a_program_judges_itself_while_it_runs_and_afterwards(tmp_path: Path) -> None:
    told = run(
        tmp_path,
        """
import json
with nilometer.start() as recording:
    rounds(20)
    during = recording.report()
    was = recording.is_running
after = recording.report()
print(json.dumps([during.verdict, after.verdict, after.growth.bytes_per_cycle.estimate, was,
                  recording.is_running, str(recording.path), json.dumps(after.to_dict()["findings"][0]),
                  after.program.name]))
""",
    )
    during, after, rate, was, running, path, holder, name = told
    assert (during, after, was, running, name) == ("leak", "leak", True, False, "own.py")
    assert abs(rate - (1 << 20)) < 50_000
    assert "kept" in holder
    assert Path(path).parent == tmp_path


def test_each_recording_counts_its_own_cycles_and_leaves_nothing_behind(tmp_path: Path) -> None:
    told = run(
        tmp_path,
        """
import io, json, os, sys
write = io.TextIOWrapper.__dict__["write"]
def state():
    return (len(sys.meta_path), len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task")),
            len(open("/proc/self/maps").readlines()), nilometer._mark_cycle is None)
import logging
emit = logging.FileHandler.emit
counts, states, emits = [], [], []
for nth in range(12):
    with nilometer.start(overwrite=True, capture=f"{nth % 3}.nilo") as recording:
        emits.append(logging.FileHandler.emit is emit)
        rounds(9 + nth)
    counts.append(recording.report().cycles.count)
    emits.append(logging.FileHandler.emit is emit)
    kept.clear()
    if nth >= 2:
        states.append(state())
print(json.dumps([counts, len(set(s[:3] + s[4:] for s in states)), states[-1][3] - states[0][3],
                  emits, states[-1][-1]]))
""",
    )
    counts, kinds, maps, emits, is_unhooked = told
    assert counts == list(range(9, 21))
    assert kinds == 1
    assert maps <= 4
    assert emits == [False, True] * 12
    assert is_unhooked


def test_a_recording_that_is_never_stopped_is_whole(tmp_path: Path) -> None:
    path = run(
        tmp_path,
        """
import json
recording = nilometer.start("own.nilo")
rounds(20)
print(json.dumps(str(recording.path)))
""",
    )
    report = report_of(Path(path))
    assert (report["verdict"], report["cycles"]["count"]) == ("leak", 20)
    # It has ended: nobody waits for more of it.
    assert report["program"]["exit"]["signal"] is None


def test_who_is_recorded_already_gets_that_recording(tmp_path: Path) -> None:
    script = tmp_path / "own.py"
    script.write_text(
        LEAKS
        + """
import json
outer = nilometer.start()
with nilometer.start() as inner:
    rounds(10)
outer.stop()
print(json.dumps([str(outer.path), inner.path == outer.path, outer.is_own, outer.is_running]))
""",
        encoding="utf-8",
    )
    options = [sys.executable, "-m", "nilometer", "run", "-q", "-o", "run.nilo"]
    done = subprocess.run(
        [*options, script.name], cwd=tmp_path, capture_output=True, timeout=PATIENCE, text=True
    )
    assert done.returncode == 0, done.stderr
    path, is_same, is_own, is_running = json.loads(done.stdout.splitlines()[-1])
    assert (Path(path), is_same, is_own, is_running) == (tmp_path / "run.nilo", True, False, True)


def test_a_forked_child_writes_nothing_into_the_parents_capture(tmp_path: Path) -> None:
    told = run(
        tmp_path,
        """
import json, os
with nilometer.start() as recording:
    rounds(10)
    child = os.fork()
    if child == 0:
        rounds(50)
        os._exit(0)
    os.waitpid(child, 0)
print(json.dumps(recording.report().cycles.count))
""",
    )
    assert told == 10


def test_a_capture_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    told = run(
        tmp_path,
        """
import json
try:
    nilometer.start("no/such/folder/x.nilo")
except nilometer.RecordingError as error:
    said = str(error)
rounds(3)
print(json.dumps(said))
""",
    )
    assert "no/such/folder" in told


def test_threads_go_on_while_recordings_come_and_go(tmp_path: Path) -> None:
    told = run(
        tmp_path,
        """
import json, threading
ends = threading.Event()
turns = [0, 0]
def work(nth):
    while not ends.is_set():
        turns[nth] += 1
        nilometer.cycle()
        with nilometer.phase(f"work {nth}"):
            sum(range(200))
threads = [threading.Thread(target=work, args=(nth,)) for nth in range(2)]
for thread in threads:
    thread.start()
for _ in range(30):
    nilometer.start("t.nilo", overwrite=True).stop()
ends.set()
for thread in threads:
    thread.join()
print(json.dumps(turns))
""",
    )
    assert all(told)


def report_of(path: Path) -> Any:
    words = [sys.executable, "-m", "nilometer", "report", path, "--format", "json"]
    done = subprocess.run(words, capture_output=True, timeout=PATIENCE, text=True, env={**os.environ})
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
