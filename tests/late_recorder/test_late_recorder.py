"""The recorder is started in a process that was begun without nilometer, by the native module's own door."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import nilometer
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "native"))
import capture_file

PACKAGE = Path(nilometer.__file__).parent
PATIENCE = 120  # seconds until a hang is called one
PRELUDE = """\
import os, sys
from nilometer import _native
library, capture = sys.argv[1:3]
settings = "sample=65536,overhead=0.2"
"""


def run(folder: Path, program: str, **environment: str) -> tuple[str, Path]:
    """What the program prints, and its capture."""
    capture, script = folder / "late.nilo", folder / "program.py"
    capture_file.create(capture)
    script.write_text(PRELUDE + program)
    done = subprocess.run(
        [sys.executable, script, PACKAGE / "_recorder.so", capture],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        env=os.environ | environment,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout, capture


def facts(capture: Path) -> dict[str, str]:
    return {record["key"]: record["value"] for record in capture_file.read(capture).of("fact")}


def test_what_is_kept_after_the_start_is_told_with_its_line(tmp_path: Path) -> None:
    printed, capture = run(
        tmp_path,
        """\
import threading, time
import numpy as np
before, saved = [np.ones(10_000) for _ in range(500)], []
begin = threading.Event()
old_thread = threading.Thread(target=lambda: (begin.wait(), saved.append(bytes(3_000_000))))
old_thread.start()
assert _native.start(capture)
print(_native.start_recorder(library, capture, settings))
begin.set()
old_thread.join()
def epoch(number):
    saved.append(np.full(200_000, number))  # the leak
    before.pop()
    return sum(len(np.ones(30_000)) for _ in range(50))
for number in range(30):
    epoch(number)
    _native.cycle(0)
    time.sleep(0.02)
_native.before_exit()
_native.stop_recorder()
""",
    )
    assert printed == "None\n"
    told = facts(capture)
    assert told["recorder.allocator"] == "glibc"
    assert told["recorder.python_objects"] == "yes"
    assert int(told["recorder.entries"]) > 50
    report = subprocess.run(
        [sys.executable, "-m", "nilometer", "report", capture, "--format", "json"],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    told_too = json.loads(report.stdout)
    assert told_too["verdict"] == "leak", report.stdout
    assert "# the leak" in json.dumps(told_too["findings"]), report.stdout


def test_a_stop_is_the_end_and_a_start_begins_anew(tmp_path: Path) -> None:
    printed, capture = run(
        tmp_path,
        """\
assert _native.start(capture)
for _ in range(3):
    print(_native.start_recorder(library, capture, settings))
    print(_native.start_recorder(library, capture, settings))
    keep = [bytes(100_000) for _ in range(100)]
    _native.stop_recorder()
    _native.stop_recorder()
    del keep
""",
    )
    assert printed == "None\n" * 6
    assert len([it for it in capture_file.read(capture).of("fact") if it["key"] == "recorder.entries"]) == 3


def test_why_not_is_told_in_words(tmp_path: Path) -> None:
    printed, _capture = run(
        tmp_path,
        """\
print(_native.start_recorder("/nowhere/_recorder.so", capture, settings))
print(_native.start_recorder(b"", capture, 7))
print(_native.start_recorder(library, capture + "x", settings))
_native.stop_recorder()
""",
    )
    missing, wrong, no_capture = printed.splitlines()
    assert missing.startswith("the recorder could not be loaded: /nowhere/_recorder.so")
    assert wrong == "the recorder needs a library, a capture and settings, each a string"
    assert no_capture.startswith("the recorder cannot write to the capture")


def test_a_library_without_room_for_its_variables_is_refused(tmp_path: Path) -> None:
    """Libraries whose thread-local variables have a fixed place share a small room, which may be used up."""
    source, greedy = tmp_path / "greedy.c", tmp_path / "libgreedy.so"
    source.write_text(
        '__thread char taken[1400] __attribute__((tls_model("initial-exec")));\n'
        "char *at(void) { return taken; }\n"
    )
    subprocess.run(["cc", "-shared", "-fPIC", "-o", greedy, source], check=True)
    printed, _capture = run(
        tmp_path,
        f"""\
import ctypes
greedy = ctypes.CDLL({str(greedy)!r})
print(_native.start_recorder(library, capture, settings))
print(sum(map(len, [bytes(100_000) for _ in range(100)])))
""",
    )
    why, worked = printed.splitlines()
    assert why.startswith("the recorder could not be loaded: ")
    assert "TLS" in why
    assert worked == "10000000"


@pytest.mark.parametrize("same", [True, False])
def test_one_that_was_there_before_the_program_stays(tmp_path: Path, same: bool) -> None:
    other = tmp_path / "other.nilo"
    capture_file.create(other)
    printed, _capture = run(
        tmp_path,
        """\
print(_native.start_recorder(library, capture, settings))
_native.stop_recorder()
print(_native.start_recorder(library, capture, settings))
""",
        LD_PRELOAD=str(PACKAGE / "_recorder.so"),
        _NILOMETER_CAPTURE=str(tmp_path / "late.nilo" if same else other),
        _NILOMETER_RECORDER="sample=65536,alone=1",
    )
    words = "None" if same else "the recorder of this process writes to another capture already"
    assert printed == f"{words}\n" * 2
    assert "recorder.entries" not in facts(tmp_path / "late.nilo")


def test_libraries_that_come_later_are_followed_by_the_clock(tmp_path: Path) -> None:
    source, late = tmp_path / "late.c", tmp_path / "liblate.so"
    source.write_text("#include <stdlib.h>\nvoid *take(void) { return malloc(9); }\n")
    subprocess.run(["cc", "-shared", "-fPIC", "-fno-builtin", "-o", late, source], check=True)
    printed, _capture = run(
        tmp_path,
        f"late = {str(late)!r}\n"
        """\
import ctypes, time
assert _native.start(capture)
assert _native.start_recorder(library, capture, settings) is None
ctypes.CDLL(late)
def to_recorder():
    found = 0
    code = []
    with open("/proc/self/maps") as maps:
        lines = [line.split() for line in maps]
    spans = [([int(x, 16) for x in line[0].split("-")], line) for line in lines if len(line) == 6]
    code = [span for span, line in spans if line[5] == os.path.realpath(library)]
    low, high = min(start for start, _ in code), max(end for _, end in code)
    for (start, end), line in spans:
        if line[5] == late and line[1] in ("r--p", "rw-p"):
            values = (ctypes.c_uint64 * ((end - start) // 8)).from_address(start)
            found += sum(low <= value < high for value in values)
    return found
for _ in range(200):
    if to_recorder():
        break
    time.sleep(0.05)
print(to_recorder() > 0)
_native.stop_recorder()
print(to_recorder())
""",
    )
    assert printed == "True\n0\n"
