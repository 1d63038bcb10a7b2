"""`nilometer run --metrics --metrics-file --otlp`: what scrapers and collectors get, and who gets nothing."""

from __future__ import annotations

import contextlib
import errno
import http.server
import json
import re
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from cli_bench import COMMAND, PATIENCE, Bench

# Keeps memory in each cycle until somebody says that it may end.
SERVICE = """
import select, sys, time
import nilometer
kept = []
print("ready", flush=True)
while not select.select([sys.stdin], [], [], 0.01)[0]:
    kept.append(bytes(100_000))
    nilometer.cycle()
sys.exit(3)
"""
SECRET = "s3cr3t-argument"


@dataclass
class Collector:
    """What came to `/v1/metrics`."""

    server: http.server.HTTPServer
    answer: int = 200
    got: list[tuple[str, str | None, bytes]] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}"


def collector() -> Iterator[Collector]:
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            here.got.append((self.path, self.headers["Content-Type"], body))
            self.send_response(here.answer)
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    here = Collector(http.server.HTTPServer(("127.0.0.1", 0), Handler))
    thread = threading.Thread(target=here.server.serve_forever)
    thread.start()
    yield here
    here.server.shutdown()
    thread.join()
    here.server.server_close()


@dataclass
class Service:
    """A program that runs under all three, and where."""

    running: subprocess.Popen[bytes]
    port: int
    folder: Path
    collector: Collector

    @property
    def file(self) -> Path:
        return self.folder / "n.prom"


def start(folder: Path, *words: str) -> subprocess.Popen[bytes]:
    (folder / "service.py").write_text(SERVICE, encoding="utf-8")
    command = [*COMMAND, "run", "-q", "-o", "service.nilo", *words, "service.py", SECRET]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=folder, stdin=pipe, stdout=pipe, stderr=pipe)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("service")
    for here in collector():
        words = ("--metrics", "127.0.0.1:0", "--metrics-file", "n.prom", "--otlp", here.url)
        running = start(folder, *words)
        assert running.stderr is not None
        said = running.stderr.readline().decode()
        port = re.search(r"http://127\.0\.0\.1:(\d+)/metrics", said)
        assert port, said
        assert Bench.said(running) == b"ready\n"
        yield Service(running, int(port[1]), folder, here)
        running.kill()
        running.communicate(timeout=PATIENCE)


def ask(port: int, request: bytes, *, closes: bool = False) -> bytes:
    """All that comes back until the other side closes; what it never closes is a failure."""
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as door:
        answer = b""
        # A connection that is reset by the other side has brought all that it brings.
        with contextlib.suppress(ConnectionError):
            door.sendall(request)
        try:
            if closes:
                door.shutdown(socket.SHUT_WR)
            while piece := door.recv(65536):
                answer += piece
        except OSError as error:
            if error.errno not in (errno.ECONNRESET, errno.ENOTCONN):
                raise
    return answer


def get(port: int, *headers: str, method: str = "GET") -> tuple[bytes, bytes]:
    lines = [f"{method} /metrics HTTP/1.1", f"Host: 127.0.0.1:{port}", *headers, "", ""]
    head, _, body = ask(port, "\r\n".join(lines).encode()).partition(b"\r\n\r\n")
    return head, body


def evaluated(service: Service) -> str:
    """The text once figures are there."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        text = get(service.port)[1].decode()
        if "nilometer_live_bytes" in text:
            return text
        time.sleep(0.1)
    pytest.fail(f"no figures in {PATIENCE} s:\n{text}")


def test_a_scraper_gets_figures(service: Service) -> None:
    text = evaluated(service)
    values = dict(re.findall(r"^(nilometer_\w+(?:\{.*\})?) (\S+)$", text, re.MULTILINE))
    assert len(values) == sum(not line.startswith("#") for line in text.splitlines())
    pid = re.search(r'nilometer_running\{program="service.py",pid="(\d+)"\} 1', text)
    assert pid, text
    who = f'program="service.py",pid="{pid[1]}"'
    states = ("leak", "no_leak", "undecided")
    verdicts = [values[f'nilometer_verdict{{{who},nilometer_verdict="{state}"}}'] for state in states]
    assert sorted(verdicts) == ["0", "0", "1"]
    assert float(values[f'nilometer_cycles_total{{{who},unit="step"}}']) > 20
    assert float(values[f"nilometer_live_bytes{{{who}}}"]) > 1e6
    assert float(values[f"nilometer_headroom_bytes{{{who}}}"]) > 0
    assert float(values["nilometer_evaluation_age_seconds"]) < 60
    assert (values["nilometer_evaluations_total"], values["nilometer_evaluations_failed_total"]) == ("1", "0")


def test_the_form_is_the_one_that_is_accepted(service: Service) -> None:
    head, body = get(service.port)
    assert b"200 OK" in head
    assert b"text/plain; version=0.0.4" in head
    assert b"# EOF" not in body
    head, body = get(service.port, "Accept: application/openmetrics-text;version=1.0.0,text/plain;q=0.5")
    assert b"application/openmetrics-text; version=1.0.0" in head
    assert body.endswith(b"# EOF\n")
    head, body = get(service.port, method="HEAD")
    assert b"200 OK" in head
    assert body == b""


OUR_HOST = b"Host: localhost\r\n"
LINE = b"GET /metrics HTTP/1.1\r\n"
REFUSED = {
    "another path": (b"GET / HTTP/1.1\r\n" + OUR_HOST + b"\r\n", b"404"),
    "a path up": (b"GET /metrics/../../etc/passwd HTTP/1.1\r\n" + OUR_HOST + b"\r\n", b"404"),
    "a whole address": (b"GET http://localhost/metrics HTTP/1.1\r\n" + OUR_HOST + b"\r\n", b"404"),
    "a tunnel": (b"CONNECT example.org:443 HTTP/1.1\r\n" + OUR_HOST + b"\r\n", b"405"),
    "a post": (b"POST /metrics HTTP/1.1\r\n" + OUR_HOST + b"\r\n", b"405"),
    "a word that is no method": (b"g3t /metrics HTTP/1.1\r\n" + OUR_HOST + b"\r\n", b"400"),
    "HTTP/2": (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"400"),
    "HTTP/3": (b"GET /metrics HTTP/3.0\r\n" + OUR_HOST + b"\r\n", b"505"),
    "TLS": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(range(256)), b"400"),
    "nothing": (b"", b"400"),
    "an empty line": (b"\r\n\r\n", b"400"),
    "zeros": (bytes(3000), b"400"),
    "no host": (LINE + b"\r\n", b"400"),
    "two hosts": (LINE + OUR_HOST + OUR_HOST + b"\r\n", b"400"),
    "another's name": (LINE + b"Host: evil.example\r\n\r\n", b"421"),
    "line feeds": (b"GET /metrics HTTP/1.1\nHost: localhost\n\n", b"400"),
    "a folded header": (LINE + OUR_HOST + b" x\r\n\r\n", b"400"),
    "a header without a colon": (LINE + OUR_HOST + b"x\r\n\r\n", b"400"),
    "a control sign": (LINE + OUR_HOST + b"X: \x1b[2J\r\n\r\n", b"400"),
    "no ASCII": (LINE + "Host: löcalhost\r\n\r\n".encode(), b"400"),
    "a body": (LINE + OUR_HOST + b"Content-Length: 4\r\n\r\nabcd", b"400"),
    "chunks": (LINE + OUR_HOST + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", b"400"),
    "two requests": ((LINE + OUR_HOST + b"\r\n") * 2, b"400"),
    "a long address": (b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\n" + OUR_HOST + b"\r\n", b"431"),
    "many headers": (LINE + OUR_HOST + b"X: y\r\n" * 10_000 + b"\r\n", b"431"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_all_else_is_refused_and_told_nothing(service: Service, what: str) -> None:
    request, code = REFUSED[what]
    answer = ask(service.port, request, closes=True)
    # What is too long may be cut off before its answer is read.
    assert answer.startswith(b"HTTP/1.1 " + code) or (code == b"431" and answer == b""), answer
    assert b"nilometer_" not in answer
    assert b"service" not in answer
    assert service.running.poll() is None
    assert b"200 OK" in get(service.port)[0]


def test_who_says_nothing_is_left_and_others_are_served(service: Service) -> None:
    silent = [socket.create_connection(("127.0.0.1", service.port), timeout=PATIENCE) for _ in range(8)]
    silent[0].sendall(b"GET /metr")
    try:
        assert b"200 OK" in get(service.port)[0]
        assert silent[0].recv(100).startswith(b"HTTP/1.1 408")
    finally:
        for one in silent:
            one.close()


def test_only_figures_are_told(service: Service) -> None:
    text = evaluated(service)
    for hidden in (SECRET, str(service.folder), "root", ".nilo"):
        assert hidden not in text


def test_the_supervisor_stays_small(service: Service) -> None:
    evaluated(service)
    status = Path(f"/proc/{service.running.pid}/status").read_text(encoding="ascii")
    anonymous = re.search(r"RssAnon:\s+(\d+) kB", status)
    assert anonymous
    assert int(anonymous[1]) < 10_000, status


def test_the_last_words_and_the_programs_own_end(service: Service) -> None:
    """Last in this file's order: it ends the service."""
    evaluated(service)
    _, err = service.running.communicate(b"\n", timeout=PATIENCE)
    assert (service.running.returncode, err.decode().splitlines()[1:]) == (3, [])
    text = service.file.read_text(encoding="utf-8")
    assert re.search(r'nilometer_running\{program="service.py",pid="\d+"\} 0\n', text)
    assert 'nilometer_verdict="leak"} 1\n' in text
    done = re.search(r"^nilometer_evaluations_total (\d+)$", text, re.MULTILINE)
    assert done
    names = sorted(path.name for path in service.folder.iterdir())
    assert names == ["n.prom", "service.nilo", "service.py"]
    assert len(service.collector.got) == int(done[1]) >= 2
    for path, kind, body in service.collector.got:
        assert (path, kind) == ("/v1/metrics", "application/json")
        [resource] = json.loads(body)["resourceMetrics"]
        assert resource["resource"]["attributes"] == [
            {"key": "service.name", "value": {"stringValue": "service.py"}}
        ]
        [scope] = resource["scopeMetrics"]
        metrics = {metric["name"]: metric for metric in scope["metrics"]}
        [live] = metrics["nilometer_live_bytes"]["gauge"]["dataPoints"]
        assert live["asDouble"] > 1e6
        assert abs(int(live["timeUnixNano"]) / 1e9 - time.time()) < 300
        assert metrics["nilometer_cycles"]["sum"]["isMonotonic"] is True


def test_an_address_in_use_and_places_that_are_not_there_are_warnings(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        nowhere = ("--metrics-file", "no/n.prom", "--otlp", "http://127.0.0.1:1")
        running = start(tmp_path, "--metrics", address, *nowhere)
        assert running.stderr is not None
        first, second = running.stderr.readline().decode(), running.stderr.readline().decode()
        assert first.startswith(f"warning: metrics cannot be served on {address} (")
        assert second.startswith("warning: no/n.prom cannot be written (")
        assert Bench.said(running) == b"ready\n"
    # It is free now, and is taken.
    until = time.monotonic() + PATIENCE
    while True:
        try:
            assert b"200 OK" in get(int(address.split(":")[1]))[0]
            break
        except ConnectionError:
            assert time.monotonic() < until
            time.sleep(0.2)
    _, err = running.communicate(b"\n", timeout=PATIENCE)
    told = err.decode().splitlines()
    assert running.returncode == 3
    assert sum("figures were not sent" in line for line in told) == 1
    assert sum("cannot be written" in line for line in told) == 1


@pytest.mark.parametrize(
    "words",
    [
        ("--metrics", "9464"),
        ("--metrics", "example.org:9464"),
        ("--metrics-file", "x"),
        ("--otlp", "https://x"),
    ],
)
def test_wrong_words_end_the_command_before_the_program_starts(bench: Bench, words: tuple[str, str]) -> None:
    done = bench.watched(*words, bench.script("print('ran')"))
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"error: ")
    assert bench.captures() == []
