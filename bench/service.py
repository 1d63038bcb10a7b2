"""What Nilometer costs a web service: throughput and latency with it and without, asked in turn.

Both servers run all the time, and only one is asked at any moment. A pair is four stretches: without, with,
with, without, short ones, so that what slows the machine down falls out. A line for each server.
Eight clients ask on connections of their own, each as soon as it was answered. They share the processors
with the server. CPU is the processor time of the server alone, the steadiest figure on a busy machine.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

WORKLOADS = Path(__file__).resolve().parent / "workloads"
NILOMETER = ["-m", "nilometer", "run", "--children", "--quiet", "--no-live"]
GUNICORN = [
    "-m",
    "gunicorn",
    "--chdir",
    str(WORKLOADS),
    "--log-level",
    "warning",
    "--bind",
    "127.0.0.1:{port}",
]
UVICORN = ["-m", "uvicorn", "--app-dir", str(WORKLOADS), "--log-level", "warning", "--port", "{port}"]

SERVERS = {
    "flask-threads": [*GUNICORN, "--threads", "8", "services:flask_app"],
    "flask-workers": [*GUNICORN, "--workers", "2", "services:flask_app"],
    "fastapi": [*UVICORN, "services:fastapi_app"],
    "django": [*GUNICORN, "--threads", "8", "services:django_app"],
}

BODY = b'{"weight": 3}'
START_S = 60
START_UP_REQUESTS = 2000
# The tail of a latency takes many requests: it is told of all together, and of this many parts.
P99_PARTS = 8


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("servers", nargs="*", choices=[*SERVERS, []], help="default: all")
    parser.add_argument("--pairs", type=int, default=60, help="default 60")
    parser.add_argument("--requests", type=int, default=160, help="of each stretch (default 160)")
    parser.add_argument("--clients", type=int, default=8, help="default 8")
    parser.add_argument(
        "--of", choices=["objects", "arrays"], default="objects", help="what a request computes with"
    )
    parser.add_argument(
        "--option", action="append", default=[], help="of `nilometer run`, as --option=--no-recorder"
    )
    parser.add_argument(
        "--again", action="store_true", help="both without it: what the machine cannot tell from 1"
    )
    return parser.parse_args()


@dataclass(frozen=True)
class Stretch:
    """What some requests cost: how many came in a second, the seconds of each, and processor time of all."""

    per_second: float
    latencies: list[float]
    cpu_s: float


@contextlib.contextmanager
def server(name: str, before: list[str]) -> Iterator[tuple[int, int]]:
    """Runs the server and gives its port and its process; it is asked to end afterwards."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        arguments = [word.replace("{port}", str(port)) for word in SERVERS[name]]
        before = [word.replace("{out}", folder) for word in before]
        process = subprocess.Popen([sys.executable, *before, *arguments], cwd=folder)
        try:
            wait_for(port, process)
            yield port, process.pid
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(START_S)


def wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + START_S
    while time.monotonic() < end and process.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.05)
    sys.exit("the server did not start")


def ask(port: int, requests: int, took: list[float]) -> None:
    """One client: `requests` on one connection, and on a new one where the server ends it."""
    head = "POST /score/7 HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    message = f"{head}Content-Length: {len(BODY)}\r\n\r\n".encode() + BODY
    connection = None
    for _ in range(requests):
        began = time.perf_counter()
        if connection is None:
            connection = socket.create_connection(("127.0.0.1", port), 30)
        connection.sendall(message)
        if not answered(connection):
            connection.close()
            connection = None
        took.append(time.perf_counter() - began)
    if connection is not None:
        connection.close()


def answered(connection: socket.socket) -> bool:
    """Reads one answer; whether the connection may be used again."""
    got = b""
    while b"\r\n\r\n" not in got:
        got += more(connection)
    head, _, body = got.partition(b"\r\n\r\n")
    if not head.startswith(b"HTTP/1.1 200"):
        raise ConnectionError(head.decode())
    lines = [line.lower() for line in head.split(b"\r\n")]
    length = next(int(line.split(b":")[1]) for line in lines if line.startswith(b"content-length:"))
    while len(body) < length:
        body += more(connection)
    return b"connection: close" not in lines


def more(connection: socket.socket) -> bytes:
    part = connection.recv(65536)
    if not part:
        raise ConnectionError("the server ended a connection within an answer")
    return part


def cpu_s(pid: int) -> float:
    """Processor time of a process and all its descendants, Nilometer's among them, in seconds."""
    total = 0.0
    for thread in Path(f"/proc/{pid}/task").iterdir():
        total += int((thread / "schedstat").read_text().split()[0]) / 1e9
        total += sum(cpu_s(int(child)) for child in (thread / "children").read_text().split())
    return total


def stretch(of: tuple[int, int], requests: int, clients: int) -> Stretch:
    port, pid = of
    took: list[list[float]] = [[] for _ in range(clients)]
    threads = [threading.Thread(target=ask, args=(port, requests // clients, own)) for own in took]
    before = cpu_s(pid)
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seconds = time.perf_counter() - began
    latencies = [one for own in took for one in own]
    return Stretch(len(latencies) / seconds, latencies, cpu_s(pid) - before)


def p99(stretches: list[Stretch]) -> float:
    return statistics.quantiles([one for each in stretches for one in each.latencies], n=100)[98]


def median(stretches: list[Stretch]) -> float:
    return statistics.median([one for each in stretches for one in each.latencies])


def rate(stretches: list[Stretch]) -> float:
    return statistics.harmonic_mean([each.per_second for each in stretches])


def spread(values: list[float]) -> str:
    """The median, and between what half of the values lie."""
    low, middle, high = statistics.quantiles(values, n=4)
    return f"{middle:.3f} ({low:.3f} to {high:.3f})"


def compare(name: str, args: argparse.Namespace) -> None:
    """Prints ratios, with to without: their medians and quartiles over all pairs, and p99 of all requests."""
    before = [] if args.again else [*NILOMETER, *args.option, "-o", "{out}/x.{pid}.nilo"]
    rates, middles, costs = [], [], []
    seen: tuple[list[Stretch], list[Stretch]] = ([], [])
    with server(name, []) as plain, server(name, before) as under:
        for one in (plain, under):
            stretch(one, START_UP_REQUESTS, args.clients)
        for _ in range(args.pairs):
            for which, one in [(0, plain), (1, under), (1, under), (0, plain)]:
                seen[which].append(stretch(one, args.requests, args.clients))
            alone, beside = seen[0][-2:], seen[1][-2:]
            rates.append(rate(beside) / rate(alone))
            middles.append(median(beside) / median(alone))
            costs.append(sum(one.cpu_s for one in beside) / sum(one.cpu_s for one in alone))
    parts = [p99(seen[1][at::P99_PARTS]) / p99(seen[0][at::P99_PARTS]) for at in range(P99_PARTS)]
    print(
        f"{name}, {args.pairs} pairs: {rate(seen[0]):.0f} a second, p99 {p99(seen[0]) * 1e3:.1f} ms; "
        f"throughput {spread(rates)}, p99 {p99(seen[1]) / p99(seen[0]):.3f}, of each {P99_PARTS}th part "
        f"{spread(parts)}, median latency {spread(middles)}, CPU {spread(costs)}",
        flush=True,
    )


def main() -> int:
    args = parse()
    if importlib.util.find_spec("nilometer") is None:
        sys.exit("nilometer is not installed for this interpreter")
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    os.environ["BENCH_REQUESTS"] = args.of
    for name in args.servers or SERVERS:
        module = SERVERS[name][1]
        needed = (module, "django" if name == "django" else name.split("-")[0])
        if missing := [one for one in needed if importlib.util.find_spec(one) is None]:
            print(f"{name}: left out, {missing[0]} is not installed")
            continue
        compare(name, args)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
