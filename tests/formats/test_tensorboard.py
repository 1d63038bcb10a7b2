"""TensorBoard's own reader reads the event file, and TensorBoard itself shows what is in it."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
import zlib
from pathlib import Path

import pytest
from forms import KEPT, STEPS, Forms

pytest.importorskip("tensorboard")

from tensorboard.backend.event_processing import event_file_loader
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator


@pytest.fixture(scope="module")
def folder(forms: Forms) -> Path:
    done = forms.run("report", "leak.nilo", "--format", "tensorboard", "-o", "logs/nilometer")
    assert done.returncode == 0, done.stderr.decode()
    return forms.folder / "logs"


@pytest.fixture(scope="module")
def read(folder: Path) -> EventAccumulator:
    accumulator = EventAccumulator(str(folder / "nilometer"))
    accumulator.Reload()
    return accumulator


def test_every_record_has_its_checksums(folder: Path) -> None:
    (path,) = (folder / "nilometer").iterdir()
    # The raw reader stops at the first record whose checksum is wrong.
    events = list(event_file_loader.LegacyEventFileLoader(str(path)).Load())
    assert len(events) == 1 + STEPS + 1
    damaged = bytearray(path.read_bytes())
    damaged[len(damaged) // 2] ^= 1
    other = folder.parent / "events.out.tfevents.1.damaged"
    other.write_bytes(damaged)
    assert len(list(event_file_loader.LegacyEventFileLoader(str(other)).Load())) < len(events)


def test_scalars_are_those_of_the_cycles(forms: Forms, read: EventAccumulator) -> None:
    rows = [json.loads(line) for line in forms.of("jsonl").splitlines()]
    rows = [row for row in rows if row["type"] == "cycle"]
    live = read.Scalars("memory/live_bytes")
    assert [event.step for event in live] == [row["cycle"] for row in rows]
    values = [event.value for event in live]
    assert values == pytest.approx([row["live_bytes"] for row in rows], rel=1e-6)
    assert values[-1] - values[3] == pytest.approx(KEPT * (STEPS - 4), rel=0.1)
    assert all(a.wall_time <= b.wall_time for a, b in itertools.pairwise(live))


def test_the_report_is_text_and_the_curve_a_picture(read: EventAccumulator) -> None:
    (text,) = read.Tensors("memory/report")
    assert b"### Memory of `leak.py`: leak" in text.tensor_proto.string_val[0]
    assert read.SummaryMetadata("memory/report").plugin_data.plugin_name == "text"
    (image,) = read.Images("memory/curve")
    assert (image.width, image.height) == (480, 160)
    check_png(image.encoded_image_string, image.width, image.height)


def check_png(png: bytes, width: int, height: int) -> None:
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    at, data = 8, b""
    while at < len(png):
        length = int.from_bytes(png[at : at + 4], "big")
        kind, body = png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        assert zlib.crc32(kind + body) == int.from_bytes(png[at + 8 + length : at + 12 + length], "big"), kind
        data += body if kind == b"IDAT" else b""
        at += 12 + length
    pixels = zlib.decompress(data)
    assert len(pixels) == height * (width + 1)
    assert set(pixels) == {0, 1, 2}, "ground, area and line are all drawn"


@pytest.mark.slow
def test_tensorboard_serves_it(folder: Path) -> None:
    command = [sys.executable, "-m", "tensorboard.main", "--logdir", str(folder), "--port", "0"]
    command += ["--load_fast=false", "--reload_multifile=false"]
    log = folder.parent / "tensorboard.log"
    with log.open("wb") as out:
        server = subprocess.Popen(
            command, stdout=out, stderr=out, env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
        )
    try:
        url = address(log, server)
        tags = json.loads(fetch(f"{url}/data/plugin/scalars/tags"))
        assert "memory/live_bytes" in tags["nilometer"]
        points = json.loads(fetch(f"{url}/data/plugin/scalars/scalars?run=nilometer&tag=memory%2Flive_bytes"))
        assert [point[1] for point in points] == list(range(1, STEPS + 1))
        text = json.loads(fetch(f"{url}/data/plugin/text/text?run=nilometer&tag=memory%2Freport"))
        assert "<h3>Memory of <code>leak.py</code>: leak</h3>" in text[0]["text"]
    finally:
        server.kill()
        server.wait()


def address(log: Path, server: subprocess.Popen[bytes]) -> str:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        assert server.poll() is None, log.read_text(errors="replace")
        words = log.read_text(errors="replace").split()
        found = [word for word in words if word.startswith("http://")]
        if found and ready(found[0].rstrip("/")):
            return found[0].rstrip("/")
        time.sleep(0.2)
    raise AssertionError(log.read_text(errors="replace"))


def ready(url: str) -> bool:
    try:
        return "nilometer" in json.loads(fetch(f"{url}/data/plugin/text/tags"))
    except (urllib.error.URLError, ValueError):
        return False


def fetch(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=20) as answer:
        body: bytes = answer.read()
    return body
