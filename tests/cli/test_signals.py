"""Signals: each reaches the program once, whoever it was sent to."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from cli_bench import PATIENCE, Bench

COUNTS = """
import os, signal, sys, time
seen = []
for n in (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGINT, signal.SIGQUIT):
    signal.signal(n, lambda n, frame: seen.append(n))
print(os.getpid(), flush=True)
sys.stdin.readline()          # the test has sent its signals
time.sleep(0.3)               # a second copy would be on its way
print([int(n) for n in seen], flush=True)
"""
SENT = [signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGINT, signal.SIGQUIT]


def alone() -> None:
    """A process group of its own, and no signal ignored: what runs in the background may ignore some."""
    os.setpgrp()
    for number in SENT:
        signal.signal(number, signal.SIG_DFL)


def started(bench: Bench, text: str) -> tuple[subprocess.Popen[bytes], int]:
    """The supervisor, in a process group of its own, and the program's pid once its handlers stand."""
    process = bench.start(bench.script(text), preexec_fn=alone)
    return process, int(bench.said(process))


def pending(pid: int) -> int:
    """The signals that wait for the process as a whole, as bits."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("ShdPnd:")[2].split()[0], 16)


def rest(process: subprocess.Popen[bytes]) -> tuple[bytes, bytes]:
    return process.communicate(b"\n", timeout=PATIENCE)


@pytest.mark.parametrize("number", SENT)
def test_sent_to_nilometer_it_reaches_the_program(bench: Bench, number: signal.Signals) -> None:
    process, _ = started(bench, COUNTS)
    process.send_signal(number)
    out, _ = rest(process)
    assert out.split(b"\n")[0] == b"[%d]" % number
    assert process.returncode == 0


@pytest.mark.parametrize("number", SENT)
def test_sent_to_the_group_it_comes_once(bench: Bench, number: signal.Signals) -> None:
    process, _ = started(bench, COUNTS)
    os.killpg(process.pid, number)
    out, _ = rest(process)
    assert out.split(b"\n")[0] == b"[%d]" % number


def test_group_first_then_pid_alone(bench: Bench) -> None:
    """The witness forgets: a later signal for nilometer's pid alone is not taken for the group's."""
    process, _ = started(
        bench, COUNTS.replace("seen.append(n)", "(seen.append(n), print('got', flush=True))")
    )
    os.killpg(process.pid, signal.SIGUSR1)
    assert bench.said(process) == b"got\n"
    # What comes while another of its number waits is lost: the rule of the kernel, whoever listens.
    while pending(process.pid) & 1 << signal.SIGUSR1 - 1:
        time.sleep(0.001)
    process.send_signal(signal.SIGUSR1)
    assert bench.said(process) == b"got\n"
    out, _ = rest(process)
    assert out.split(b"\n")[0] == b"[%d, %d]" % (signal.SIGUSR1, signal.SIGUSR1)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_without_a_handler_both_die_of_it(bench: Bench, number: signal.Signals) -> None:
    process, program = started(bench, "import os, time; print(os.getpid(), flush=True); time.sleep(60)")
    process.send_signal(number)
    _, err = rest(process)
    assert process.returncode == -number
    assert number.name.encode() in err or b"signal %d" % number in err
    assert not Path(f"/proc/{program}").exists()


def test_the_program_killed_is_reported(bench: Bench) -> None:
    process, program = started(bench, "import os, time; print(os.getpid(), flush=True); time.sleep(60)")
    os.kill(program, signal.SIGKILL)
    _, err = rest(process)
    assert process.returncode == -signal.SIGKILL
    assert b"SIGKILL" in err or b"signal 9" in err
    assert b".nilo" in err


def gone(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return True
    return state == "Z"


def wait_until(true: object, what: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while not true():  # type: ignore[operator]
        assert time.monotonic() < deadline, what
        time.sleep(0.01)


def test_nilometer_killed_takes_the_program_along(bench: Bench) -> None:
    process, program = started(bench, "import os, time; print(os.getpid(), flush=True); time.sleep(60)")
    process.kill()
    process.wait(PATIENCE)
    wait_until(lambda: gone(program), "the program outlived nilometer")
    assert len(bench.captures()) == 1
    report = bench.report(bench.captures()[0].name)
    assert report.returncode == 0
    assert b"prog.py" in report.stdout


def test_nothing_is_left_running(bench: Bench) -> None:
    process, _ = started(bench, "import os, sys; print(os.getpid(), flush=True); sys.stdin.read()")
    group = process.pid
    rest(process)
    with pytest.raises(ProcessLookupError):
        os.killpg(group, 0)
