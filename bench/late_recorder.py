"""What a recorder that starts late sees, beside one that is there before the program; and what a start takes.

A program with TensorFlow works for a while. Then it keeps memory of three kinds, and makes ten times as much
that it gives back. Both recorders are asked what lives of that, by kind: shares of what the early one saw.
The late one is then stopped and started again and again. One run each per round, in turn.
"""

from __future__ import annotations

import argparse
import os
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from math import exp
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests" / "native"))
import capture_file  # noqa: E402

SETTINGS = "sample=65536,overhead=0.5"
MARK = "bench.mark"
BIRTH, DEATH, NURSERY = 15, 16, 18
#: Numbers of `Source` in crates/capture/src/sample.rs.
SOURCES = {0: "malloc", 2: "Python's objects", 3: "pools of tensors"}
STARTS = 5
MIB = 1 << 20


def program(library: str, capture: str, late: bool) -> None:
    """The child's part."""
    # Pools of tensors are oneDNN's, which is not on everywhere by itself.
    os.environ |= {"TF_CPP_MIN_LOG_LEVEL": "3", "TF_ENABLE_ONEDNN_OPTS": "1"}
    import keras
    import numpy as np
    import tensorflow as tf
    from nilometer import _native

    model = keras.Sequential([keras.layers.Dense(64, activation="relu") for _ in range(3)])
    model.compile("adam", "mse")
    x, y = np.random.rand(4000, 128), np.random.rand(4000, 64)
    model.fit(x, y, verbose=0)
    before = [tf.random.uniform((512, 512)) for _ in range(50)]
    assert _native.start(capture)
    starts = []
    if late:
        for _ in range(STARTS):
            _native.stop_recorder()
            begin = time.thread_time_ns()
            why = _native.start_recorder(library, capture, SETTINGS)
            starts.append((time.thread_time_ns() - begin) / 1e6)
            assert why is None, why
    _native.fact(MARK, " ".join(f"{start:.1f}" for start in starts))
    keep: list[Any] = []
    for _ in range(3):
        model.fit(x, y, verbose=0)
        keep += [tf.random.uniform((512, 512)) for _ in range(70)]
        keep += [np.ones(70_000) for _ in range(130)]
        keep += [[[number] for number in range(300_000)]]
        for _ in range(10):
            sum(len(tf.random.uniform((512, 512))) + len(np.ones(70_000)) for _ in range(70))
            len([[number] for number in range(30_000)])
        before = before[10:]
    if late:
        _native.stop_recorder()
        resident = anonymous()
        for _ in range(50):
            _native.start_recorder(library, capture, SETTINGS)
            _native.stop_recorder()
        print((anonymous() - resident) // 50, flush=True)
    os._exit(0)


def anonymous() -> int:
    with open("/proc/self/smaps_rollup") as told:
        return next(int(line.split()[1]) << 10 for line in told if line.startswith("Anonymous"))


def record(library: Path, late: bool) -> tuple[dict[str, float], list[float], int]:
    """What lives by kind, milliseconds of each start, and bytes that a round of start and stop leaves."""
    with tempfile.TemporaryDirectory() as folder:
        capture = Path(folder) / "a.nilo"
        capture_file.create(capture)
        environment = dict(os.environ)
        if not late:
            early = {"LD_PRELOAD": str(library), "_NILOMETER_CAPTURE": str(capture)}
            environment |= early | {"_NILOMETER_RECORDER": SETTINGS + ",alone=1"}
        command = [
            sys.executable,
            __file__,
            "--child",
            "late" if late else "early",
            str(library),
            str(capture),
        ]
        done = subprocess.run(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True
        )
        facts = capture_file.read(capture).of("fact", key=MARK)
        return alive(capture, facts[0].at_ns), [*map(float, facts[0]["value"].split())], int(done.stdout or 0)


def alive(capture: Path, since_ns: int) -> dict[str, float]:
    """Bytes by kind that were made since then and lived at the end of that generation of the recorder."""
    births: dict[int, tuple[int, float]] = {}
    deaths: set[int] = set()
    for at_ns, kind, numbers in sampled(capture):
        if kind == DEATH:
            deaths.add(numbers[0])
        elif at_ns >= since_ns:
            identity, _stack, size, mean, _address, _thread, source = numbers
            births[identity] = source, size / (1 - exp(-size / mean))
    found = dict.fromkeys(SOURCES.values(), 0.0)
    for identity, (source, bytes_) in births.items():
        if identity not in deaths and source in SOURCES:
            found[SOURCES[source]] += bytes_
    return found


def sampled(capture: Path) -> Iterator[tuple[int, int, list[int]]]:
    """Births and deaths, by docs/capture-format.md: time, kind, and the numbers of each. Of a program that
    started the recorder again, only those of the generation before the empty rounds at its end."""
    data = capture.read_bytes()
    said: list[tuple[int, int, list[int]]] = []
    begins: list[int] = []
    for base in range(capture_file.PAGE, len(data), capture_file.UNIT):
        segment, at = data[base : base + capture_file.UNIT], 32
        while segment[:8] == b"\x93segment" and at + 4 <= len(segment):
            (word,) = struct.unpack_from("<I", segment, at)
            if word == 0:
                break
            length, kind = word & 0xFFFFFF, word >> 24 & 0x7F
            body = segment[at + 4 : at + 4 + length]
            if word >> 31 and kind in (BIRTH, DEATH, 10):
                payload = capture_file._Payload(body)
                numbers = [payload.number() for _ in range({BIRTH: 8, DEATH: 2, 10: 1}[kind])]
                if kind == 10:
                    begins.append(numbers[0])
                else:
                    said.append((numbers[0], kind, numbers[1:]))
            if word >> 31 and kind == NURSERY:
                said += young(body[4:])
            at += (4 + length + 7) // 8 * 8
    begins.sort()
    starts = begins[STARTS - 1] if len(begins) > STARTS else begins[0]
    ends = begins[STARTS] if len(begins) > STARTS else 1 << 63
    return (it for it in said if starts <= it[0] < ends)


def young(slots: bytes) -> Iterator[tuple[int, int, list[int]]]:
    for at in range(0, len(slots) - 63, 64):
        state, at_ns, stack, size, mean, address, origin, _cycles = struct.unpack_from("<8Q", slots, at)
        if state & 3 >= 2:
            yield at_ns, BIRTH, [state >> 2, stack, size, mean, address, origin >> 8, origin & 255]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--library", type=Path)
    parser.add_argument("--child", nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        late, library, capture = arguments.child
        program(library, capture, late == "late")
    import nilometer

    library = arguments.library or Path(nilometer.__file__).parent / "_recorder.so"
    shares: dict[str, list[float]] = {name: [] for name in SOURCES.values()}
    starts, left = [], []
    for _ in range(arguments.rounds):
        early, _starts, _left = record(library, late=False)
        late, some, bytes_ = record(library, late=True)
        starts += some
        left.append(bytes_)
        for name, seen in shares.items():
            seen.append(late[name] / early[name])
            print(f"{name:<18} early {early[name] / MIB:7.1f} MiB  late {late[name] / MIB:7.1f} MiB")
    for name, seen in shares.items():
        print(f"{name:<18} {statistics.median(seen):6.1%} ({min(seen):.1%} to {max(seen):.1%})")
    print(f"a start            {statistics.median(starts):.1f} ms of CPU ({min(starts)} to {max(starts)})")
    print(f"a start and stop   leave {statistics.median(left):.0f} bytes ({min(left)} to {max(left)})")


if __name__ == "__main__":
    main()
