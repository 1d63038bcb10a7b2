"""Who gets an answer from `nilometer serve`, and what an answer forbids. No browser is needed."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from pages import COMMAND, PATIENCE
from served import Served

PROGRAM = "import nilometer\nfor step in range(12):\n    nilometer.cycle()\n"
ODD = "a b%2f\u00fc<.nilo"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    inner = tmp_path_factory.mktemp("served") / "captures"
    inner.mkdir()
    (inner / "program.py").write_text(PROGRAM, encoding="utf-8")
    command = [*COMMAND, "run", "-q", "--no-recorder", "-o", "one.nilo", "program.py"]
    subprocess.run(command, cwd=inner, check=True, capture_output=True, timeout=PATIENCE)
    (inner / ODD).write_bytes((inner / "one.nilo").read_bytes())
    (inner / "broken.nilo").write_bytes(b"no capture")
    (inner.parent / "outside.nilo").write_bytes((inner / "one.nilo").read_bytes())
    return inner


@pytest.fixture(scope="module")
def served(folder: Path) -> Iterator[Served]:
    with Served(folder) as one:
        assert one.ask("/", cookie=False)[0] == 403
        one.enter()
        yield one


def test_the_link_works_once(served: Served) -> None:
    assert served.host == "127.0.0.1"
    assert served.ask(served.token, cookie=False)[0] == 403
    assert served.ask("/?token=" + "0" * 32, cookie=False)[0] == 403
    status, _, body = served.ask("/", cookie=False)
    assert (status, "start `nilometer serve` again" in body) == (403, True)
    assert served.ask("/")[0] == 200
    for path in ("/list", "/data/one.nilo", "/summary/one.nilo", "/events/one.nilo"):
        assert served.ask(path, cookie=False)[0] == 403, path


@pytest.mark.parametrize(
    "host", ["evil.example", "localhost.evil.example:80", "10.0.0.1", "127.0.0.1.evil.example"]
)
def test_another_name_for_this_machine_is_refused(served: Served, host: str) -> None:
    for path in ("/", served.token, "/data/one.nilo", "/events/one.nilo"):
        status, headers, body = served.ask(path, host)
        assert (status, headers["Set-Cookie"], "MiB" in body) == (421, None, False)
    assert served.ask("/", f"localhost:{served.port}")[0] == 200


def test_answers_forbid_what_they_can(served: Served) -> None:
    for path, kind in (
        ("/", "text/html"),
        ("/capture/one.nilo", "text/html"),
        ("/list", "application/json"),
        ("/x", "text/plain"),
    ):
        _, headers, body = served.ask(path)
        policy = headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'")
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert "*" not in policy
        assert headers["Content-Type"].startswith(kind)
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Cache-Control"] == "no-store"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert headers["Access-Control-Allow-Origin"] is None
        assert ("script-src 'sha256-" in policy) == (kind == "text/html")
        assert ("<script" in body) == (kind == "text/html")


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"])
def test_pages_are_only_read(served: Served, method: str) -> None:
    assert served.ask("/", method=method)[0] == 405


def test_only_what_lies_in_the_folder_is_served(served: Served) -> None:
    others = [
        "../outside.nilo",
        "..%2foutside.nilo",
        "%2e%2e%2foutside.nilo",
        "program.py",
        "%",
        "%zz",
        "",
        "one.nilo/x",
    ]
    for name in others:
        for page in ("capture", "data", "summary", "events"):
            status, _, body = served.ask(f"/{page}/{name}")
            assert status == 404, (page, name)
            assert "cycle" not in body


def test_any_name_of_a_file_is_found(served: Served) -> None:
    items = json.loads(served.ask("/list")[2])["shelf"]["items"]
    assert {item["name"] for item in items} == {"one.nilo", "broken.nilo", ODD}
    (odd,) = (item for item in items if item["name"] == ODD)
    assert served.ask(f"/capture/{odd['key']}")[0] == 200
    assert json.loads(served.ask(f"/summary/{odd['key']}")[2])["unit"] == "step"
    assert served.ask(f"/compare/{odd['key']}/one.nilo")[0] == 200


def test_what_is_no_capture_is_said(served: Served) -> None:
    status, _, body = served.ask("/capture/broken.nilo")
    assert status == 500
    assert "broken.nilo" in body
    assert "cannot be read" in served.ask("/summary/broken.nilo")[2]


def test_the_data_is_the_report(served: Served, folder: Path) -> None:
    data = json.loads(served.ask("/data/one.nilo")[2])
    done = subprocess.run(
        [*COMMAND, "report", "one.nilo", "--format", "json"], cwd=folder, capture_output=True, check=True
    )
    assert data["report"] == json.loads(done.stdout)
    assert data["served"]["running"] is False
    status, headers, events = served.ask("/events/one.nilo")
    assert (status, headers["Content-Type"]) == (200, "text/event-stream")
    assert events == f"event: ended\ndata: {data['served']['version']}\n\n"


def test_nothing_is_written_and_an_interrupt_ends_it(folder: Path) -> None:
    def state() -> dict[str, tuple[int, int]]:
        return {path.name: (path.stat().st_mtime_ns, path.stat().st_size) for path in folder.iterdir()}

    before = state()
    with Served(folder / "one.nilo") as one:
        one.enter()
        status, headers, _ = one.ask("/")
        assert (status, headers["Location"]) == (303, "/capture/one.nilo")
        assert one.ask("/capture/one.nilo")[0] == 200
        assert one.ask("/capture/broken.nilo")[0] == 404, "only the one that was named"
        assert one.interrupt() == 0
        assert one.process.stderr
        assert one.process.stderr.read().decode().splitlines() == [
            "The link works once, in one browser. Ctrl-C ends it."
        ]
    assert state() == before


def test_what_cannot_be_served_is_an_error(folder: Path) -> None:
    for name, words in (("missing.nilo", "missing.nilo"), ("broken.nilo", "broken.nilo")):
        done = subprocess.run(
            [*COMMAND, "serve", name],
            cwd=folder,
            capture_output=True,
            timeout=PATIENCE,
            env={**os.environ, "NO_COLOR": "1"},
        )
        assert (done.returncode, done.stdout) == (2, b"")
        assert done.stderr.decode().startswith("error: ")
        assert words in done.stderr.decode()
