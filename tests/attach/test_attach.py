"""`nilometer attach`: a program that runs is recorded, ends as it would have, and is free afterwards."""

from __future__ import annotations

import os
import signal
import time
import urllib.request
from pathlib import Path

import nilometer
import pytest
from attach_bench import PATIENCE, Bench, threads

LEAKS = """
import time
class Store:
    saved = []
store = Store()
def work():
    store.saved.append(bytearray(400_000))
print("ready", flush=True)
while not stopped():
    work()
    time.sleep(0.01)
print(len(store.saved) > 0, sorted(n for n in globals() if not n.startswith('__')))
raise SystemExit(7)
"""
LEAKS_SAYS = "True ['Store', 'os', 'stopped', 'store', 'time', 'work']\n"

WAITS = {
    "sleeps": "while not stopped(): time.sleep(0.5)",
    "sleep": "time.sleep(600)",
    "accept": "server.accept()",
    "poll": "poll.poll(600_000)",
    "join": "t = threading.Thread(target=busy); t.start(); t.join()",
    "lock": "t = threading.Thread(target=release); t.start(); gate.acquire()",
    "busy": "busy()",
    "threads": "several()",
    "asyncio": "asyncio.run(loop())",
    "stdin": "assert input() == 'x'",
    "child": "assert subprocess.call(['sleep', '600']) == -9",
}
# Ends what would wait for ten minutes: a signal whose handler raises, as a program's own might.
WAITING = """
import asyncio, select, signal, socket, subprocess, sys, threading, time
class Over(Exception):
    pass
def over(*_):
    raise Over
signal.signal(signal.SIGUSR1, over)
server = socket.create_server(("127.0.0.1", 0))
server.settimeout(600)
poll = select.poll()
poll.register(server, select.POLLIN)
gate = threading.Lock()
gate.acquire()
def busy():
    while not stopped(): sum(range(1000))
def release():
    while not stopped(): time.sleep(0.05)
    gate.release()
async def loop():
    while not stopped(): await asyncio.sleep(0.2)
def several():
    all = [threading.Thread(target=busy) for _ in range(3)]
    for one in all: one.start()
    for one in all: one.join()
def end():
    while not stopped(): time.sleep(0.05)
    if WAY in ("sleep", "accept", "poll"):
        os.kill(os.getpid(), signal.SIGUSR1)
    if WAY == "child":
        os.kill(int(open(f"/proc/self/task/{os.getpid()}/children").read().split()[0]), 9)
threading.Thread(target=end).start()
print("ready", flush=True)
try:
    DO
except Over:
    print("over")
print("waited", flush=True)
print("err", file=sys.stderr)
raise SystemExit(5)
"""

SERVES = """
import http.server, threading, time
class Log:
    answers = []
log = Log()
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        log.answers.append(bytearray(400_000))
        self.send_response(200)
        self.end_headers()
    def log_message(self, *words):
        pass
server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
def end():
    while not stopped(): time.sleep(0.05)
    server.shutdown()
threading.Thread(target=end).start()
print("ready", flush=True)
print(server.server_port, flush=True)
server.serve_forever()
print("served", len(log.answers))
"""


def test_a_leak_is_found_in_a_server_that_runs(bench: Bench) -> None:
    program = bench.start(SERVES)
    before = threads(program.pid)
    assert program.stdout is not None
    address = f"http://127.0.0.1:{int(program.stdout.readline())}/"
    urllib.request.urlopen(address).close()
    command = bench.attach(program.pid, "-o", "a.nilo", "--until-verdict", "--for", "40s")
    asked = 1
    while command.poll() is None:
        urllib.request.urlopen(address).close()
        asked += 1
        time.sleep(0.05)
    said = command.communicate()[1]
    report = bench.report("a.nilo")
    assert report["verdict"] == "leak", said
    assert "answers" in str(report["findings"][0]), report["findings"]
    assert report["program"]["name"] == "program.py"
    assert report["program"]["attached"]["resident_bytes"] > 1 << 20
    assert "nobody saw what made the" in " ".join(said.split())
    # Nothing of ours runs in it any more, and nothing is mapped.
    bench.wait_for(lambda: threads(program.pid) == before)
    assert "a.nilo" not in Path(f"/proc/{program.pid}/maps").read_text()
    assert bench.end(program) == (f"served {asked}\n", "", 0)


@pytest.mark.parametrize("way", WAITS)
def test_any_main_thread_joins_and_the_program_ends_as_it_would(bench: Bench, way: str) -> None:
    program = bench.start(WAITING.replace("WAY", repr(way)).replace("DO", WAITS[way]))
    time.sleep(0.1)
    command = bench.attach(program.pid, "-o", "a.nilo")
    if program.stdin is not None and way == "stdin":
        program.stdin.write("x\n")
        program.stdin.flush()
    is_ended_by_signal = way in ("sleep", "accept", "poll")
    assert bench.end(program) == ("over\n" * is_ended_by_signal + "waited\n", "err\n", 5)
    # The command sees the end, and says what it saw.
    _, said = command.communicate(timeout=PATIENCE)
    assert command.returncode == 0
    assert "Capture: a.nilo" in said
    assert bench.report("a.nilo")["program"]["exit"] is not None


def test_a_program_can_be_attached_to_again(bench: Bench) -> None:
    program = bench.start(LEAKS)
    for nth in range(2):
        bench.nilometer("attach", program.pid, "-o", f"{nth}.nilo", "--for", "1s")
        attached = nilometer.read(bench.folder / f"{nth}.nilo").program.attached
        assert attached is not None
        assert (attached.resident_bytes or 0) > 1 << 20
    assert bench.end(program) == (LEAKS_SAYS, "", 7)


def test_detach_ends_it_from_elsewhere(bench: Bench) -> None:
    program = bench.start(LEAKS)
    command = bench.attach(program.pid, "-o", "a.nilo")
    assert "is recorded already" in bench.refused(program.pid)
    assert "detached from" in bench.nilometer("detach", program.pid).stderr
    _, said = command.communicate(timeout=PATIENCE)
    assert command.returncode == 0
    assert "Capture: a.nilo" in said
    assert "is not recorded" in bench.nilometer("detach", program.pid, code=2).stderr
    assert bench.end(program) == (LEAKS_SAYS, "", 7)


def test_a_recording_outlives_a_killed_command_until_detach(bench: Bench) -> None:
    program = bench.start(LEAKS)
    before = threads(program.pid)
    command = bench.attach(program.pid, "-o", "a.nilo")
    command.send_signal(signal.SIGKILL)
    command.wait()
    assert threads(program.pid) > before
    said = bench.nilometer("detach", program.pid).stderr
    assert "Capture: a.nilo" in said
    bench.wait_for(lambda: threads(program.pid) == before)
    assert bench.end(program) == (LEAKS_SAYS, "", 7)


def test_ctrl_c_detaches_and_the_program_goes_on(bench: Bench) -> None:
    program = bench.start(LEAKS)
    command = bench.attach(program.pid, "-o", "a.nilo")
    command.send_signal(signal.SIGINT)
    _, said = command.communicate(timeout=PATIENCE)
    assert (command.returncode, "Capture: a.nilo" in said) == (0, True)
    assert bench.end(program) == (LEAKS_SAYS, "", 7)


def test_names_that_the_program_hides_are_not_used(bench: Bench) -> None:
    program = bench.start(
        "import time\nopen = exec = BaseException = __import__ = None\nprint('ready', flush=True)\n"
        "while not stopped(): time.sleep(0.01)\nprint(open, exec)\n"
    )
    bench.nilometer("attach", program.pid, "-q", "-o", "a.nilo", "--for", "1s")
    assert bench.end(program) == ("None None\n", "", 0)


def test_a_capture_is_not_overwritten_unasked(bench: Bench) -> None:
    program = bench.start(LEAKS)
    bench.nilometer("attach", program.pid, "-q", "-o", "a.nilo", "--for", "1s")
    assert "a.nilo" in bench.nilometer("attach", program.pid, "-o", "a.nilo", code=2).stderr
    bench.nilometer("attach", program.pid, "-q", "-f", "-o", "a.nilo", "--for", "1s")
    assert bench.end(program) == (LEAKS_SAYS, "", 7)


def test_nothing_is_left_in_the_folder_for_temporary_files(bench: Bench) -> None:
    program = bench.start(LEAKS)
    temporary = bench.folder / "temporary"
    temporary.mkdir()
    os.environ["TMPDIR"] = str(temporary)
    try:
        bench.nilometer("attach", program.pid, "-q", "-o", "a.nilo", "--for", "1s")
    finally:
        del os.environ["TMPDIR"]
    assert list(temporary.iterdir()) == []
    bench.end(program)
