"""Who cannot be attached to, and what is said then. Nothing is changed in a process that is refused."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from attach_bench import Bench

READY = "import time\nprint('ready', flush=True)\nwhile not stopped(): time.sleep(0.05)\n"


def test_there_must_be_a_process(bench: Bench) -> None:
    said = bench.refused(2**22 - 1)
    assert "there is no process with this number" in said
    assert "pgrep" in said


def test_another_program_is_told_by_its_name(bench: Bench) -> None:
    program = subprocess.Popen(["sleep", "60"])
    bench.programs.append(program)  # type: ignore[arg-type]
    bench.wait_for(lambda: Path(f"/proc/{program.pid}/comm").read_text() == "sleep\n")
    said = bench.refused(program.pid)
    assert "there is no Python in it (sleep)" in said
    assert "nilometer run" in said


def test_a_stopped_program_stays_stopped(bench: Bench) -> None:
    program = bench.start(READY)
    program.send_signal(signal.SIGSTOP)
    status = Path(f"/proc/{program.pid}/status")
    bench.wait_for(lambda: "T (stopped)" in status.read_text())
    said = bench.refused(program.pid)
    assert "it is stopped" in said
    assert f"kill -CONT {program.pid}" in said
    assert "T (stopped)" in status.read_text()
    program.send_signal(signal.SIGCONT)
    assert bench.end(program) == ("", "", 0)


def test_a_program_under_run_is_recorded_already(bench: Bench) -> None:
    script = bench.folder / "under.py"
    script.write_text("import time, os\nprint(os.getpid(), flush=True)\ntime.sleep(60)\n")
    run = subprocess.Popen(
        [sys.executable, "-m", "nilometer", "run", "-q", "-o", "run.nilo", "under.py"],
        cwd=bench.folder,
        stdout=subprocess.PIPE,
        text=True,
    )
    bench.programs.append(run)
    assert run.stdout is not None
    pid = int(run.stdout.readline())
    said = bench.refused(pid)
    assert "is recorded already" in said
    assert "run.nilo" in said
    assert "runs under `nilometer run`" in bench.nilometer("detach", pid, code=2).stderr


@pytest.mark.skipif(shutil.which("gdb") is None, reason="needs a tracer")
def test_who_traces_it_is_named(bench: Bench) -> None:
    program = bench.start(READY)
    gdb = subprocess.Popen(
        ["gdb", "-q", "-batch", "-p", str(program.pid), "-ex", "shell sleep 60"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        status = Path(f"/proc/{program.pid}/status")
        bench.wait_for(lambda: "TracerPid:\t0" not in status.read_text())
        said = bench.refused(program.pid)
        assert "(gdb) traces it already" in said
    finally:
        gdb.kill()
        gdb.wait()


@pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("setpriv") is None, reason="only root has others' programs at hand"
)
def test_another_users_program_is_refused(bench: Bench) -> None:
    program = subprocess.Popen(["sleep", "60"], user=65534)
    bench.programs.append(program)  # type: ignore[arg-type]
    command = [sys.executable, "-m", "nilometer", "attach", str(program.pid)]
    done = subprocess.run(
        ["setpriv", "--bounding-set=-sys_ptrace", *command], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2, done.stderr
    assert "it belongs to another user (uid 65534)" in done.stderr
    assert "or as root" in done.stderr


FILTERED = """
import ctypes, struct
libc = ctypes.CDLL(None, use_errno=True)
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, FILTER = 38, 22, 2
# One instruction of a filter: allow everything.
allow = ctypes.create_string_buffer(struct.pack("HBBI", 6, 0, 0, 0x7FFF0000))
program = struct.pack("HxxxxxxQ", 1, ctypes.addressof(allow))
assert libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
assert libc.prctl(PR_SET_SECCOMP, FILTER, ctypes.create_string_buffer(program)) == 0, ctypes.get_errno()
"""


def test_a_program_that_filters_its_system_calls_is_refused(bench: Bench) -> None:
    program = bench.start(FILTERED + READY)
    said = bench.refused(program.pid)
    assert "it filters its own system calls (seccomp)" in said
    assert "start it under `nilometer run`" in said
