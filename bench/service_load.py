"""Services with workers, and whoever asks them: what benches of services share.

In: the name of a service. Out: its command, clients that count the answers that they got in full, and its
processes. Celery gets tasks instead, and Redis counts their ends.
"""

from __future__ import annotations

import collections
import contextlib
import os
import random
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from service import wait_for

WORKLOADS = Path(__file__).resolve().parent / "workloads"
GUNICORN = ["-m", "gunicorn", "--chdir", str(WORKLOADS), "--log-level", "warning", "--workers", "2"]
UVICORN = ["-m", "uvicorn", "--app-dir", str(WORKLOADS), "--log-level", "warning", "--workers", "2"]
CELERY = [str(Path(sys.executable).parent / "celery"), "--workdir", str(WORKLOADS), "-A", "tasks"]
PREFORK = ["worker", "-c", "2", "-l", "error", "--without-gossip", "--without-mingle", "--without-heartbeat"]
SERVICES = {
    "gunicorn": [*GUNICORN, "--bind", "127.0.0.1:{port}", "routes:flask_app"],
    "gunicorn-preload": [*GUNICORN, "--preload", "--bind", "127.0.0.1:{port}", "routes:flask_app"],
    "gunicorn-threads": [*GUNICORN, "--threads", "4", "--bind", "127.0.0.1:{port}", "routes:flask_app"],
    "uvicorn": [*UVICORN, "--port", "{port}", "routes:fastapi_app"],
    "celery": [*CELERY, *PREFORK],
}
ENDPOINTS = {"GET /a": "/a", "GET /b/*": "/b/7", "POST /c": "/c"}
CLIENTS = 4
START_S = 60


class Clients:
    """Asks from `CLIENTS` threads until it is told to end; a connection for each request."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.answered: Counter[str] = collections.Counter()
        self.by_process: Counter[int] = collections.Counter()
        self.failed = 0
        self._lock = threading.Lock()
        self._ends = threading.Event()
        self._threads = [threading.Thread(target=self._ask, args=(n,)) for n in range(CLIENTS)]
        for thread in self._threads:
            thread.start()

    def end(self) -> None:
        self._ends.set()
        for thread in self._threads:
            thread.join()

    def _ask(self, seed: int) -> None:
        choose = random.Random(seed)
        while not self._ends.is_set():
            name = choose.choice(list(ENDPOINTS))
            process = self._one(name.split()[0], ENDPOINTS[name])
            with self._lock:
                if process is None:
                    self.failed += 1
                else:
                    self.answered[name] += 1
                    self.by_process[process] += 1
            if process is None:
                time.sleep(0.05)

    def _one(self, method: str, path: str) -> int | None:
        """Which process has answered, if one has in full."""
        head = (
            f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
        )
        got = b""
        try:
            with socket.create_connection(("127.0.0.1", self.port), 30) as connection:
                connection.sendall(head.encode())
                while part := connection.recv(65536):
                    got += part
        except OSError:
            return None
        number = got.rpartition(b"\r\n\r\n")[2].removesuffix(b" whole")
        is_whole = got.startswith(b"HTTP/1.1 200") and got.endswith(b" whole")
        return int(number) if is_whole else None


class Tasks:
    """Puts tasks into Redis as workers take them, and asks Redis how many of each have ended."""

    def __init__(self, port: int) -> None:
        sys.path.insert(0, str(WORKLOADS))
        os.environ["BROKER_PORT"] = str(port)
        import tasks

        self._tasks = tasks
        self.failed = 0
        self.put = 0
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._put)
        self._thread.start()

    def end(self) -> None:
        self._ends.set()
        self._thread.join()
        # Only a message that a killed child had taken is not waited for.
        end = time.monotonic() + START_S
        while self._waiting() and time.monotonic() < end:
            time.sleep(0.1)
        time.sleep(2)

    @property
    def by_process(self) -> Counter[int]:
        """How many have ended in each process."""
        counted = self._tasks.ended("process")
        return collections.Counter({int(pid): number for pid, number in counted.items()})

    @property
    def answered(self) -> Counter[str]:
        counted = self._tasks.ended("task")
        return collections.Counter({f"tasks.{name}": number for name, number in counted.items()})

    def _waiting(self) -> int:
        return int(self._tasks.broker().llen("celery"))

    def _put(self) -> None:
        choose = random.Random(0)
        while not self._ends.is_set():
            if self._waiting() < 20:
                choose.choice([self._tasks.small, self._tasks.large]).delay()
                self.put += 1
            else:
                time.sleep(0.01)


def command_of(pid: int) -> bytes:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""


def workers(master: int) -> list[int]:
    """The children of the program that serve; a helper of Python that tracks resources is none."""
    with contextlib.suppress(OSError):
        children = Path(f"/proc/{master}/task/{master}/children").read_text().split()
        return [int(pid) for pid in children if b"resource_tracker" not in command_of(int(pid))]
    return []


def wait_until(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + START_S
    while not is_so() and time.monotonic() < end:
        time.sleep(0.05)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
    return port


@contextlib.contextmanager
def redis(folder: str) -> Iterator[int]:
    port = free_port()
    command = ["redis-server", "--port", str(port), "--save", "", "--dir", folder, "--loglevel", "warning"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        wait_for(port, process)
        yield port
    finally:
        process.terminate()
        process.wait()


@contextlib.contextmanager
def started(
    name: str, tool: list[str], folder: str, **settings: str
) -> Iterator[tuple[subprocess.Popen[bytes], Clients | Tasks]]:
    """A service below a tool, which answers, and what asks it. What still runs at the end is killed."""
    with contextlib.ExitStack() as stack:
        port = stack.enter_context(redis(folder)) if name == "celery" else free_port()
        words = [word.replace("{port}", str(port)) for word in SERVICES[name]]
        environment = {**os.environ, "BROKER_PORT": str(port), **settings}
        with (Path(folder) / "log").open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, *tool, *words], cwd=folder, env=environment, stderr=log, stdout=log
            )
        stack.callback(process.kill)
        wait_for(port, process)
        yield process, Tasks(port) if name == "celery" else Clients(port)
