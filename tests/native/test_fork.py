"""Forks: no warning, no deadlock, and the child is not recorded in the parent's name."""

from __future__ import annotations

from native_program import Program


def test_a_single_threaded_program_forks_without_a_warning(program: Program) -> None:
    out, err = program.run(
        """
import time
for index in range(100):
    if index % 10 == 0:
        end = time.monotonic() + 0.03
        while time.monotonic() < end: pass
    pid = os.fork()
    if pid == 0:
        os._exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7
time.sleep(1)
tasks = os.listdir("/proc/self/task")
print(len(tasks))
""",
        # Not "error": Python 3.13 drops the exception that it makes of its own warning here.
        "-W",
        "always",
    )
    assert (out, err) == ("2\n", ""), "the ticker is back, and nothing was said"
    assert program.capture().of("reading", moment="tick")


def test_busy_threads_and_many_forks_do_not_deadlock(program: Program) -> None:
    out, _ = program.run("""
import threading
end = False
def busy():
    while not end:
        _native.cycle(8); _native.phase_begin("x"); _native.phase_end("x")
        [bytearray(2000) for _ in range(50)]
threads = [threading.Thread(target=busy) for _ in range(3)]
[thread.start() for thread in threads]
for _ in range(150):
    pid = os.fork()
    if pid == 0:
        for _ in range(20): _native.cycle(0); _native.phase_begin("child"); _native.lost("child")
        os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0
end = True
[thread.join() for thread in threads]
print("done")
""")
    assert out == "done\n"
    capture = program.capture()
    assert capture.cycles[0] == 0
    assert capture.of("phase", name="child") == []
    assert {record.pid for record in capture.records} == {capture.records[0].pid}
    assert capture.lost == 0


def test_forks_in_c_are_safe_too(program: Program) -> None:
    out, _ = program.run("""
import ctypes, threading
end = False
def busy():
    while not end: _native.cycle(8)
thread = threading.Thread(target=busy)
thread.start()
for _ in range(150):
    pid = ctypes.PyDLL(None).fork()  # Python is told nothing
    if pid == 0:
        _native.cycle(0); _native.before_exit()
        os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0
end = True
thread.join()
print("done")
""")
    assert out == "done\n"
    assert program.capture().cycles[0] == 0


def test_forks_of_several_threads_at_once(program: Program) -> None:
    out, _ = program.run("""
import threading
def forks():
    for _ in range(40):
        pid = os.fork()
        if pid == 0: os._exit(0)
        os.waitpid(pid, 0)
threads = [threading.Thread(target=forks) for _ in range(4)]
[thread.start() for thread in threads], [thread.join() for thread in threads]
root = "/proc/self/task"
while len(os.listdir(root)) != 2: pass  # the last thread is leaving
tasks = lambda: [open(f"{root}/{task}/comm").read().strip() for task in os.listdir(root)]
while "nilometer" not in tasks(): pass  # a new thread names itself first of all
print(len(tasks()))
""")
    assert out == "2\n"


def test_forks_at_once_wait_for_one_clock_only(program: Program) -> None:
    """Two forks that stop the clock at the same moment: each used to wait for the end of the other's."""
    out, _ = program.run("""
import threading
gate = threading.Barrier(8)
def forks():
    for _ in range(60):
        gate.wait()
        pid = os.fork()
        if pid == 0: os._exit(0)
        os.waitpid(pid, 0)
threads = [threading.Thread(target=forks) for _ in range(8)]
[thread.start() for thread in threads], [thread.join() for thread in threads]
print("done")
""")
    assert out == "done\n"
    assert [record["what"] for record in program.capture().of("loss")] == []


def test_a_child_may_fork_and_exit_normally(program: Program) -> None:
    out, err = program.run("""
import atexit
atexit.register(_native.before_exit)
pid = os.fork()
if pid == 0:
    pid = os.fork()
    if pid: os.waitpid(pid, 0)
    assert len(os.listdir("/proc/self/task")) == 1
    sys.exit(0)
assert os.waitpid(pid, 0)[1] == 0
print("parent")
""")
    assert (out, err) == ("parent\n", "")
    assert len(program.capture().of("reading", moment="before_exit")) == 1


def test_subprocess_and_multiprocessing(program: Program) -> None:
    out, _ = program.run("""
import multiprocessing, subprocess
for _ in range(20):
    subprocess.run([sys.executable, "-S", "-c", "pass"], check=True)
    subprocess.run(["true"], check=True, preexec_fn=lambda: None)
with multiprocessing.get_context("fork").Pool(2) as pool:
    print(sum(pool.map(abs, range(100))))
""")
    assert out == "4950\n"
