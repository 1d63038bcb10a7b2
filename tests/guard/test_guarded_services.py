"""A service under the guard: workers that leak are replaced one at a time, and no request fails.

The server is a small one that starts workers as gunicorn does, and has its name. `bench/replaced.py` does the
same with gunicorn, uvicorn and Celery themselves.
"""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

PATIENCE_S = 120
# What starts workers that share a listening socket, replaces those that end, and ends by SIGTERM.
SERVER = """
import http.server, os, signal, socket, sys
KEEPS = int(sys.argv[2])
kept, cache = [], {}
listener = socket.create_server(("127.0.0.1", int(sys.argv[1])), backlog=128)
listener.setblocking(False)
ends = False
def leave(*_):
    global ends
    ends = True
signal.signal(signal.SIGTERM, leave)
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if KEEPS:
            kept.append(os.urandom(KEEPS))
        elif len(cache) < 1500:
            cache[len(cache)] = os.urandom(40_000)
        body = f"{os.getpid()} whole".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *words): pass
def serve():
    server = http.server.HTTPServer(listener.getsockname(), Handler, bind_and_activate=False)
    server.socket, server.timeout = listener, 0.1
    while not ends:
        server.handle_request()
    os._exit(0)
workers = set()
while not ends:
    while len(workers) < 2:
        pid = os.fork()
        if pid == 0:
            serve()
        workers.add(pid)
    signal.sigtimedwait([], 0.05)
    ended, _ = os.waitpid(-1, os.WNOHANG)
    workers.discard(ended)
for pid in workers:
    os.kill(pid, signal.SIGTERM)
for pid in workers:
    os.waitpid(pid, 0)
"""


class Clients:
    """Asks from two threads until it is told to end."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.answered: list[int] = []
        self.failed: list[str] = []
        self._ends = False
        self._threads = [threading.Thread(target=self._ask) for _ in range(2)]
        for thread in self._threads:
            thread.start()

    def end(self) -> None:
        self._ends = True
        for thread in self._threads:
            thread.join()

    def _ask(self) -> None:
        while not self._ends:
            got = b""
            try:
                with socket.create_connection(("127.0.0.1", self.port), 30) as connection:
                    connection.sendall(b"GET /a HTTP/1.0\r\n\r\n")
                    while part := connection.recv(4096):
                        got += part
            except OSError as error:
                got = repr(error).encode()
            match = re.fullmatch(rb"HTTP/1.0 200 OK\r\n.*\r\n\r\n(\d+) whole", got, re.DOTALL)
            if match:
                self.answered.append(int(match[1]))
            else:
                self.failed.append(repr(got))
            time.sleep(0.003)


class Service:
    def __init__(self, folder: Path, keeps: int, limit: str) -> None:
        (folder / "gunicorn.py").write_text(SERVER)
        with socket.create_server(("127.0.0.1", 0)) as listener:
            self.port: int = listener.getsockname()[1]
        self.log = folder / "log"
        words = ["guard", "--quiet", "--limit", limit, "-o", "x.nilo", "-m", "gunicorn", str(self.port)]
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "nilometer", *words, str(keeps)], cwd=folder, stderr=log, stdout=log
            )
        self.wait(self.listens)

    def listens(self) -> bool:
        try:
            socket.create_connection(("127.0.0.1", self.port), 1).close()
        except OSError:
            return False
        return True

    def said(self) -> str:
        return self.log.read_text()

    def wait(self, is_so: Callable[[], bool]) -> None:
        end = time.monotonic() + PATIENCE_S
        while not is_so():
            assert time.monotonic() < end, self.said()
            assert self.process.poll() is None, self.said()
            time.sleep(0.1)

    def end(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(PATIENCE_S) == 0, self.said()


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[[int, str], Service]]:
    started = []

    def of(keeps: int, limit: str) -> Service:
        started.append(Service(tmp_path, keeps, limit))
        return started[-1]

    yield of
    for service in started:
        service.process.kill()
        service.process.wait()


@pytest.mark.slow
def test_workers_that_leak_are_replaced_one_at_a_time(
    start: Callable[[int, str], Service], tmp_path: Path
) -> None:
    service = start(50_000, "220M")
    clients = Clients(service.port)
    try:
        service.wait(lambda: service.said().count(" serves in its place ") >= 2)
    finally:
        clients.end()
    service.end()
    said = service.said()
    steps = re.findall(r"worker (\d+) (is asked to finish|has ended, and \d+ serves)", said)
    asked, replaced = steps[::2], steps[1::2]
    assert all(word.startswith("is asked") for _, word in asked), said
    assert [pid for pid, _ in replaced] == [pid for pid, _ in asked[: len(replaced)]], said
    assert clients.failed == []
    assert {int(pid) for pid, _ in replaced} < set(clients.answered)
    assert "of 220 MiB (--limit) are in use" in said
    assert "per request" in said
    assert "kept" in said
    assert "A replacement ends no leak." in said
    [capture] = re.findall(r"^Capture: (.*)$", said, re.MULTILINE)
    words = ["guard", "--limit", "220M", "--dry-run", str(tmp_path / capture)]
    command = [sys.executable, "-m", "nilometer", *words]
    dry = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S)
    assert dry.stdout.startswith("The guard would have asked worker "), dry.stdout + dry.stderr


@pytest.mark.slow
def test_no_worker_is_asked_for_a_cache_that_fills(start: Callable[[int, str], Service]) -> None:
    service = start(0, "220M")
    clients = Clients(service.port)
    try:
        time.sleep(35)
    finally:
        clients.end()
    service.end()
    assert "is asked to finish" not in service.said()
    assert clients.failed == []


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["-m", "uvicorn", "app:app"], b"uvicorn serves in one process here"),
        (["-m", "celery", "-A", "x", "worker", "--pool", "threads"], b"a worker of Celery's pool threads"),
        (["--restart", "2", "-m", "gunicorn", "app:app"], b"--restart is for trainings"),
    ],
)
def test_what_nobody_would_replace_is_refused(tmp_path: Path, words: list[str], why: bytes) -> None:
    command = [sys.executable, "-m", "nilometer", "guard", *words]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=PATIENCE_S)
    assert done.returncode == 2
    assert why in done.stderr
    assert os.listdir(tmp_path) == []
