"""Readings while the program marks nothing, and what the ticker must not disturb."""

from __future__ import annotations

import itertools
import signal
import time

import pytest
from native_program import Program


def ticks(program: Program) -> list:
    return program.capture().of("reading", moment="tick")


def test_a_busy_python_loop_gets_full_ticks(program: Program) -> None:
    program.run("""
import time
end = time.monotonic() + 3
while time.monotonic() < end: pass
""")
    found = ticks(program)
    assert len(found) >= 4
    assert sum(record["py_in_use"] is not None for record in found) >= 3


def test_an_import_of_a_framework_gets_a_tick_per_second_at_most(program: Program) -> None:
    """What it took is told where it ends; in between a reading per second shows that it goes on."""
    program.run("""
import time
_native.importing(True)
end = time.monotonic() + 4
while time.monotonic() < end: pass
_native.importing(False)
""")
    at = [record.at_ns for record in ticks(program)]
    assert len(at) >= 2, "long imports are seen while they last"
    assert all(after - before >= 990_000_000 for before, after in itertools.pairwise(at)), at


def test_a_main_thread_in_c_code_gets_ticks_from_outside(program: Program) -> None:
    program.run("import time; time.sleep(3)")
    found = ticks(program)
    assert len(found) >= 4
    for record in found:
        assert record["heap_in_use"] > 0
        assert record["rss_anon"] > 0


WAITS = """
import threading, time
kept, end = [], time.monotonic() + {seconds}
def work():
    while time.monotonic() < end:
        {work}
        time.sleep(0.05)
thread = threading.Thread(target=work)
thread.start()
thread.join()
assert threading.active_count() == 1
"""


def test_a_main_thread_that_waits_while_memory_rises_is_stood_in_for(program: Program) -> None:
    """What another thread makes of small objects is told by Python alone."""
    # On a busy machine a turn is dear, and they are far apart.
    program.run(WAITS.format(work="kept.append([bytes(100) for _ in range(3000)])", seconds=25))
    levels = [one["py_in_use"] for one in ticks(program) if one["py_in_use"] is not None]
    assert len(levels) >= 3
    assert levels == sorted(levels)
    assert levels[-1] - levels[0] > 1_000_000


def test_a_main_thread_that_waits_while_nothing_rises_is_let_alone(program: Program) -> None:
    program.run(WAITS.format(work="bytes(1_000_000)", seconds=10))
    asked = [one for one in ticks(program) if one["py_in_use"] is not None]
    assert len(asked) <= 1, "the answer that the main thread gives in the end"


def test_a_main_thread_that_holds_the_gil_in_c_code_ends_unharmed(program: Program) -> None:
    program.run("""
import ctypes
ctypes.PyDLL(None).usleep(900_000)
ctypes.PyDLL(None).usleep(900_000)
_native.before_exit()
""")
    assert len(program.capture().of("reading", moment="before_exit")) == 1


def test_marks_replace_ticks(program: Program) -> None:
    program.run("""
import time
for _ in range(20): time.sleep(0.1); _native.cycle(0)
""")
    assert len(ticks(program)) <= 5


def test_the_thread_allocates_nothing_of_its_own(program: Program) -> None:
    out, _ = program.run("""
import time
def arenas():
    # A thread's own arena is a mapping whose end is a reservation up to a multiple of 64 MiB.
    lines = [line.split() for line in open("/proc/self/maps")]
    spans = [[int(x, 16) for x in line[0].split("-")] + [line[1]] for line in lines]
    return sum(mode == "---p" and end % (64 << 20) == 0 for _, end, mode in spans)
before = arenas()
time.sleep(1.5)
print(before, arenas(), sys.version_info >= (3, 13))
""")
    before, after, nothing_asked_of_python = out.split()
    # Older versions need the thread to take the GIL, for which Python allocates.
    assert int(after) <= int(before) + (nothing_asked_of_python == "False")


def test_a_subinterpreter_at_work(program: Program) -> None:
    """Before 3.12 a request may come while the main thread runs another interpreter than the main one."""
    out, _ = program.run("""
import importlib
name = "_interpreters" if sys.version_info >= (3, 13) else "_xxsubinterpreters"
try:
    interpreters = importlib.import_module(name)
except ImportError:
    print("done")
    raise SystemExit
work = "import time; end = time.monotonic() + 1.5\\nwhile time.monotonic() < end: pass"
(interpreters.exec if sys.version_info >= (3, 13) else interpreters.run_string)(interpreters.create(), work)
print("done")
""")
    assert out == "done\n"


def test_one_more_thread_and_none_after_exit(program: Program) -> None:
    out, _ = program.run("""
import threading
root = "/proc/self/task"
tasks = lambda: [open(f"{root}/{task}/comm").read().strip() for task in os.listdir(root)]
while "nilometer" not in tasks(): pass  # a new thread names itself first of all
print("nilometer" in tasks(), len(tasks()), threading.active_count())
_native.before_exit()
print("nilometer" in tasks(), len(tasks()))
""")
    assert out.split() == ["True", "2", "1", "False", "1"]


def test_all_signals_go_past_the_thread(program: Program) -> None:
    out, _ = program.run("""
for task in os.listdir("/proc/self/task"):
    if int(task) != os.getpid():
        status = dict(line.split(":\\t") for line in open(f"/proc/self/task/{task}/status"))
        print(status["SigBlk"])
""")
    blocked = int(out, 16)
    for number in set(signal.valid_signals()) - {signal.SIGKILL, signal.SIGSTOP}:
        assert blocked >> (number - 1) & 1, number


def test_an_interrupt_ends_a_sleep_at_once(program: Program) -> None:
    process = program.start("""
import time
print("ready", flush=True)
try:
    time.sleep(50)
except KeyboardInterrupt:
    print("interrupted", flush=True)
""")
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.6)  # into the time in which the ticker works
    begin = time.monotonic()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=10)
    assert (out, err, process.returncode) == ("interrupted\n", "", 0)
    assert time.monotonic() - begin < 5


@pytest.mark.parametrize(
    "ending", ["", "os._exit(0)", "os.execv(sys.executable, [sys.executable, '-c', ''])"]
)
@pytest.mark.parametrize("announced", [True, False])
def test_every_ending_is_quick_and_silent(program: Program, ending: str, announced: bool) -> None:
    code = "import atexit, time\n"
    if announced:
        code += "atexit.register(_native.before_exit)\n"
    code += "end = time.monotonic() + 0.7\nwhile time.monotonic() < end: pass\n"
    for _ in range(3):
        out, err = program.run(code + ending)
        assert (out, err) == ("", "")


def test_an_unannounced_long_shutdown_is_survived(program: Program) -> None:
    _, err = program.run("""
import time
class Slow:
    def __del__(self): time.sleep(1.2)
slow = Slow()
""")
    assert err == ""


def test_what_is_called_at_ticks_is_hidden_from_tracers(program: Program) -> None:
    out, _ = program.run("""
import time
calls, seen = [], []
def at_tick(): calls.append(1)
_native.at_ticks(at_tick)
def wait(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end: pass
wait(1.5)
before = len(calls)
sys.setprofile(lambda frame, event, _: seen.append(frame.f_code.co_name))
wait(1.5)
sys.setprofile(None)
sys.settrace(lambda frame, event, _: seen.append(frame.f_code.co_name))
wait(1.5)
sys.settrace(None)
print(before > 0, len(calls) == before, "at_tick" in seen)
""")
    assert out.split() == ["True", "True", "False"]
