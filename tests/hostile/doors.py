"""The two doors of Nilometer that answer HTTP, each as a test opens it and knocks.

In: a folder. Out: a server that runs, its port, and what it answers to bytes. What must not happen here: a
library of HTTP, which would mend what is broken on purpose.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import shlex
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

COMMAND: list[str] = shlex.split(os.environ.get("NILOMETER_CLI", "")) or [sys.executable, "-m", "nilometer"]
PATIENCE = 60  # seconds until a hang is called one
SECRET = "s3cr3t-argument"  # nobody may be told
SERVICE = """
import sys
import nilometer
kept = [bytes(100_000) for _ in range(20)]
for _ in range(20):
    nilometer.cycle()
print("ready", flush=True)
sys.stdin.readline()
print("as ever")
sys.exit(3)
"""


@contextlib.contextmanager
def gone_is_well() -> Iterator[None]:
    """The other side may go; what must not be is a wait without an end."""
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.ECONNRESET, errno.EPIPE, errno.ENOTCONN):
            raise


@dataclass
class Door:
    """A server, and how to knock."""

    process: subprocess.Popen[bytes]
    port: int
    path: str
    cookie: str = ""

    def knock(self, request: bytes) -> bytes:
        """All that comes back; a door that never closes is a failure."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE) as door:
            answer = b""
            # Whoever is refused may find the door shut before all is said.
            with gone_is_well():
                door.sendall(request)
                door.shutdown(socket.SHUT_WR)
            with gone_is_well():
                while piece := door.recv(65536):
                    answer += piece
        return answer

    def good(self) -> bytes:
        """A request that is in order; it says all, and waits with its own end for the answer's."""
        lines = [f"GET {self.path} HTTP/1.1", f"Host: 127.0.0.1:{self.port}", self.cookie, "", ""]
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE) as door:
            door.sendall("\r\n".join(line for line in lines[:3] if line).encode() + b"\r\n\r\n")
            answer = b""
            while piece := door.recv(65536):
                answer += piece
        return answer

    def figure(self, name: str) -> int:
        """A number of the process, as the kernel tells it."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        found = re.search(rf"^{name}:\s+(\d+)", status, re.MULTILINE)
        assert found, status
        return int(found[1])


def start(folder: Path, *words: str) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    return subprocess.Popen([*COMMAND, *words], cwd=folder, stdin=pipe, stdout=pipe, stderr=pipe)


@contextlib.contextmanager
def serving(folder: Path) -> Iterator[Door]:
    """`nilometer serve` of a folder, its link used."""
    inner = folder / "captures"
    inner.mkdir()
    (folder / "service.py").write_text(SERVICE, encoding="utf-8")
    done = start(folder, "run", "-q", "--no-recorder", "-o", "captures/one.nilo", "service.py", SECRET)
    done.communicate(b"\n", timeout=PATIENCE)
    (folder / "outside.nilo").write_bytes((inner / "one.nilo").read_bytes())
    process = start(inner, "serve", ".")
    try:
        assert process.stdout is not None
        link = re.fullmatch(r"http://127\.0\.0\.1:(\d+)(/\S+)\n", process.stdout.readline().decode())
        assert link
        door = Door(process, int(link[1]), link[2])
        entered = door.good()
        assert entered.startswith(b"HTTP/1.1 303"), entered
        cookie = re.search(rb"(?im)^set-cookie: ([^;]+);", entered)
        assert cookie
        door.path, door.cookie = "/list", f"Cookie: {cookie[1].decode()}"
        yield door
    finally:
        process.kill()
        process.communicate()


@contextlib.contextmanager
def measured(folder: Path) -> Iterator[Door]:
    """A program under `nilometer run --metrics`, which waits for a line."""
    (folder / "service.py").write_text(SERVICE, encoding="utf-8")
    words = ("run", "-q", "-o", "service.nilo", "--metrics", "127.0.0.1:0", "service.py", SECRET)
    process = start(folder, *words)
    try:
        assert process.stderr is not None
        assert process.stdout is not None
        said = process.stderr.readline().decode()
        port = re.search(r"http://127\.0\.0\.1:(\d+)/metrics", said)
        assert port, said
        assert process.stdout.readline() == b"ready\n"
        yield Door(process, int(port[1]), "/metrics")
    finally:
        process.kill()
        process.communicate()
