"""Thousands of damaged requests: nothing falls, nothing is told, and the next good one is answered."""

from __future__ import annotations

import re
import signal
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

import pytest
from doors import PATIENCE, SECRET, Door, measured, serving
from hostile_requests import requests

REQUESTS = 3000
AT_ONCE = 4
# More than either door takes at once; each is left after a few seconds.
SILENT = {"serve": 100, "metrics": 16}
TOLD = re.compile(rb"nilometer_|" + SECRET.encode() + rb"|service\.py|root:x:|<script|\.nilo\b|panick")
Opened = Callable[[Path], AbstractContextManager[Door]]
DOORS: dict[str, Opened] = {"serve": serving, "metrics": measured}


@pytest.fixture(params=DOORS)
def door(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[str, Door]]:
    with DOORS[request.param](tmp_path) as one:
        yield request.param, one


def status(answer: bytes) -> int:
    found = re.match(rb"HTTP/1\.[01] (\d{3})", answer)
    return int(found[1]) if found else 0


def test_damaged_requests_are_refused_and_told_nothing(door: tuple[str, Door]) -> None:
    name, one = door
    with ThreadPoolExecutor(AT_ONCE) as many:
        for request, answer in zip(
            requests(41, REQUESTS), many.map(one.knock, requests(41, REQUESTS)), strict=True
        ):
            assert status(answer) == 0 or 400 <= status(answer) <= 599, (request[:300], answer[:300])
            assert not TOLD.search(answer), (request[:300], answer[:300])
    assert one.process.poll() is None
    assert status(one.good()) == 200
    assert one.figure("Threads") < 48
    if name == "metrics":
        assert one.figure("RssAnon") < 10_000


def test_who_may_come_in_gets_out_of_the_folder_by_no_address(tmp_path: Path) -> None:
    with serving(tmp_path) as one:
        mark = f"\r\n{one.cookie}\r\n".encode()
        known = [request.replace(b"\r\n", mark, 1) for request in requests(42, REQUESTS // 3)]
        with ThreadPoolExecutor(AT_ONCE) as many:
            for request, answer in zip(known, many.map(one.knock, known), strict=True):
                assert b"outside" not in answer, (request[:300], answer[:300])
                assert b"root:x:" not in answer, (request[:300], answer[:300])
        assert status(one.good()) == 200


def test_who_says_nothing_keeps_nobody_out(door: tuple[str, Door]) -> None:
    name, one = door
    with ExitStack() as stack:
        for at in range(SILENT[name]):
            silent = socket.create_connection(("127.0.0.1", one.port), timeout=PATIENCE)
            stack.callback(silent.close)
            silent.sendall(b"GET /list HTTP/1.1\r\nHost: 127"[: at % 30])
        assert status(one.good()) == 200


def test_a_reader_who_stops_reading_keeps_nobody_out(door: tuple[str, Door]) -> None:
    _, one = door
    with ExitStack() as stack:
        for _ in range(8):
            lazy = socket.socket()
            lazy.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
            stack.callback(lazy.close)
            lazy.connect(("127.0.0.1", one.port))
            lines = [f"GET {one.path} HTTP/1.1", f"Host: 127.0.0.1:{one.port}", one.cookie]
            lazy.sendall("\r\n".join(line for line in lines if line).encode() + b"\r\n\r\n")
        assert status(one.good()) == 200


def test_the_servers_say_nothing_of_it_and_end_as_ever(door: tuple[str, Door]) -> None:
    name, one = door
    for request in requests(43, 200):
        one.knock(request)
    if name == "serve":
        one.process.send_signal(signal.SIGINT)
        out, err = one.process.communicate(timeout=PATIENCE)
        wanted = (0, b"", b"The link works once, in one browser. Ctrl-C ends it.\n")
    else:
        out, err = one.process.communicate(b"\n", timeout=PATIENCE)
        wanted = (3, b"as ever\n", b"Capture: service.nilo\n")
    assert (one.process.returncode, out, err) == wanted
