"""The guard in a program's own loop: when it acts, when it does not, how the program goes on and ends."""

from __future__ import annotations

from pathlib import Path

import pytest
from guard_runner import Run

LEAKS = """
import sys, time, nilometer
state = nilometer.guard.restored() or {"turn": 0, "sum": 0.0}
kept = []
for turn in range(state["turn"], 30):
    kept.append(bytearray(10 << 20))
    state = {"turn": turn + 1, "sum": state["sum"] + turn / 3}
    time.sleep(0.03)
    if nilometer.guard.should_stop():
        nilometer.guard.checkpoint(state)
print(state)
"""

# More file pages than the limit, and a spike in each turn that nearly reaches it.
HEALTHY = """
import mmap, time, nilometer
with open("data", "w+b") as file:
    file.write(bytes(400 << 20))
    file.flush()
    pages = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    for turn in range(12):
        block = bytearray(220 << 20)
        del block
        sum(pages[turn << 25 : (turn + 1) << 25 : 4096])
        time.sleep(0.03)
        assert not nilometer.guard.should_stop()
print("done")
"""


def test_a_loop_that_leaks_is_stopped_and_goes_on(run: Run, tmp_path: Path) -> None:
    plain = run(LEAKS, guard=False)
    first = run(LEAKS, "--limit", "200M", "--resume", "saved")
    assert (first.returncode, first.stdout) == (75, ""), first.stderr
    assert "this turn is the last that is safe" in first.stderr
    assert "Go on with: nilometer guard --resume" in first.stderr
    last = run(LEAKS, "--limit", "200M", "--resume", "saved", "--restart", "5")
    assert (last.returncode, last.stdout) == (0, plain.stdout), last.stderr
    # The program is done, and its checkpoint with it.
    assert not (tmp_path / "saved").exists()


def test_pages_of_files_and_spikes_never_act(run: Run) -> None:
    done = run(HEALTHY, "--limit", "300M")
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr
    assert "nilometer guard:" not in done.stderr


def test_without_the_guard_nothing_happens(run: Run) -> None:
    program = "import nilometer\nnilometer.guard.checkpoint({})\nprint(nilometer.guard.should_stop())"
    assert run(program, guard=False).stdout == "False\n"


@pytest.mark.parametrize(
    ("name", "value"),
    [("TF_CONFIG", '{"cluster": {"worker": ["a:1", "b:1"]}}'), ("WORLD_SIZE", "4")],
)
def test_one_of_several_processes_is_refused(run: Run, name: str, value: str) -> None:
    done = run("print('ran')", **{name: value})
    assert (done.returncode, done.stdout) == (2, "")
    assert f"error: {name} says that" in done.stderr


def test_a_program_that_catches_the_stop_is_told(run: Run) -> None:
    program = LEAKS.replace("nilometer.guard.checkpoint(state)", "break_out(state)").replace(
        "kept = []",
        "kept = []\ndef break_out(state):\n    try: nilometer.guard.checkpoint(state)\n"
        "    except BaseException: print('caught'); sys.exit()",
    )
    done = run(program, "--limit", "200M")
    assert (done.returncode, done.stdout) == (75, "caught\n")
    assert "the program caught SystemExit and ended with exit code 0" in done.stderr
