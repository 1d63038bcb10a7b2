"""A capture that no program made: the same bytes each time, for what is said about it to be the same.

In: a path, and how much a step keeps. Out: a file by `docs/capture-format.md`, of 24 steps.
What must not happen here: a clock, a process id, a path of this machine.
"""

from __future__ import annotations

import struct
from pathlib import Path

PAGE, UNIT = 4096, 65536
SUPERVISOR, PROGRAM = 4710, 4711
BEGAN = 1_790_000_000 * 10**9
MIB = 1 << 20
STEPS = 24
STEP_NS = 500_000_000
FIRST_STEP_NS = 3 * 10**9

SOURCE = """\
import nilometer

kept = []
last = {}


def keep(size):
    kept.append(bytearray(size))


def replace():
    last["it"] = bytearray(4 << 20)


for step in range(24):
    with nilometer.phase("work"):
        keep(2 << 20)
        replace()
    nilometer.cycle()
"""
KEEP_LINE, REPLACE_LINE = 8, 12
WORK_LINES = {KEEP_LINE: 17, REPLACE_LINE: 18}
(FACT, CYCLE, PHASE, READING, PROCESS, SURROUNDINGS, CHILD, EXIT, LOSS, START) = range(1, 11)
(TEXT, CODE, STACK, BIRTH, DEATH, COUNT) = range(12, 18)
(PROBE, CENSUS, HOLDER, HELD, GROWN, OBJECTS) = (19, 21, 22, 23, 24, 25)
STEP_UNIT = 8


def number(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def text(words: str) -> bytes:
    coded = words.encode()
    return number(len(coded)) + coded


def numbers(*values: int | None) -> bytes:
    """A list, in which what is None could not be read."""
    present = bytearray((len(values) + 7) // 8)
    for i, value in enumerate(values):
        if value is not None:
            present[i // 8] |= 1 << i % 8
    return number(len(values)) + bytes(present) + b"".join(number(v) for v in values if v is not None)


class Story:
    """Records in the order they happened, and how they lie in a file."""

    def __init__(self) -> None:
        self.said: dict[int, list[bytes]] = {SUPERVISOR: [], PROGRAM: []}

    def say(self, pid: int, at_ns: int, kind: int, *fields: bytes) -> None:
        payload = number(at_ns) + b"".join(fields)
        record = struct.pack("<I", 1 << 31 | kind << 24 | len(payload)) + payload
        self.said[pid].append(record + bytes(-len(record) % 8))

    def write(self, path: Path, steps: int) -> None:
        units = []
        for pid, records in self.said.items():
            sequence, body = 0, b""
            for record in [*records, b""]:
                if len(body) + len(record) > UNIT - 32 or not record:
                    head = b"\x93segment" + struct.pack("<IIII", 1, pid, sequence, 32 + len(body))
                    units.append((head + bytes(8) + body).ljust(UNIT, b"\0"))
                    sequence, body = sequence + 1, b""
                body += record
        page = bytearray(PAGE)
        page[:8] = b"\x89NILO\r\n\x1a"
        struct.pack_into("<HHIII", page, 8, 1, 0, PAGE, UNIT, 0)
        struct.pack_into("<QQQ", page, 24, BEGAN, 10**9, len(units))
        struct.pack_into("<Q", page, 64 + 8 * STEP_UNIT, steps)
        path.write_bytes(bytes(page) + b"".join(units))


def counters(live: int, step: int) -> bytes:
    heap, objects = live - 8 * MIB, 8 * MIB
    anonymous = live + 12 * MIB
    memory = [anonymous, 40 * MIB, 0, 0, 400 * MIB, 300 * MIB, 3]
    heaps = [heap, MIB, 3 * MIB, heap + 4 * MIB, objects, objects + MIB, 90_000 + step]
    collector = [700, 3, 1, 120, 40_000, 17]
    return numbers(*memory, *heaps, *collector, 0, 0, 1)


def make(path: Path, kept: int, folder: str) -> None:
    """The capture of a program in `folder` that keeps so many bytes of each step."""
    story = Story()
    begin(story, folder)
    program(story, kept, folder)
    end = FIRST_STEP_NS + STEPS * STEP_NS + 20_000_000
    story.say(SUPERVISOR, end, FACT, text("recorder"), text("on"))
    story.say(SUPERVISOR, end, EXIT, number(1), number(0), number(0))
    story.write(path, STEPS)


def begin(story: Story, folder: str) -> None:
    facts = {
        "pid": str(PROGRAM),
        "argv": '["train.py","--rate=0.1"]',
        "script": "train.py",
        "python": "/usr/bin/python3",
        "python_flags": "[]",
        "cwd": folder,
        "nilometer": "0.0.9",
        "started": str(BEGAN // 10**9),
        "python.version": "3.11.7",
        "recorder.allocator": "glibc",
    }
    for key, value in facts.items():
        story.say(SUPERVISOR, 300_000, FACT, text(key), text(value))
    limits = [32 << 30, 24 << 30, 8 << 30, 200 * MIB, 210 * MIB, 0, 0, 10 * MIB, 0]
    for second in range(0, 16, 5):
        at = second * 10**9 + 8_000_000
        whole = 60 * MIB + second * MIB
        story.say(SUPERVISOR, at, SURROUNDINGS, numbers(*limits))
        story.say(
            SUPERVISOR, at, PROCESS, numbers(PROGRAM, whole, 40 * MIB, 0, 0, 400 * MIB, 400 * MIB, 300 * MIB)
        )


def program(story: Story, kept: int, folder: str) -> None:
    def say(at_ns: int, kind: int, *fields: bytes) -> None:
        story.say(PROGRAM, at_ns, kind, *fields)

    say(10_000_000, START, number(1 << 16))
    for i, words in enumerate([f"{folder}/train.py", "<module>", "keep", "replace"], 1):
        say(11_000_000, TEXT, number(i), text(words))
    for code, (function, line) in enumerate([(2, 1), (3, 7), (4, 11)], 1):
        say(11_000_000, CODE, number(code), number(1), number(function), number(line))
    for stack, (code, line) in enumerate([(2, KEEP_LINE), (3, REPLACE_LINE)]):
        frames = number(1 << 2 | 1) + number(WORK_LINES[line]) + number(code << 2 | 1) + number(line)
        say(12_000_000, STACK, number(stack * 2 + 1), number(0), number(2), frames)
    live, sample = 30 * MIB, 0
    say(20_000_000, READING, number(2), counters(live // 2, 0))
    say(FIRST_STEP_NS - 10**9, READING, number(2), counters(live, 0))

    def birth(at_ns: int, stack: int, size: int) -> None:
        where = number(0x7F00_0000_0000 + sample * (8 << 20)) + number(PROGRAM) + number(0)
        say(at_ns, BIRTH, number(sample), number(stack), number(size), number(1 << 16), where)

    replaced = 0
    for step in range(1, STEPS + 1):
        at = FIRST_STEP_NS + (step - 1) * STEP_NS
        say(at, PHASE, text("work"), number(0), number(0))
        if kept:
            sample += 1
            birth(at + 10_000_000, 2, kept)
        sample += 1
        birth(at + 20_000_000, 4, 4 * MIB)
        if replaced:
            say(at + 21_000_000, DEATH, number(replaced))
        replaced, live = sample, live + kept + (4 * MIB if step == 1 else 0)
        say(at + 400_000_000, PHASE, text("work"), number(1), number(0))
        say(at + 450_000_000, CYCLE, number(STEP_UNIT), number(step))
        moment = number(0) + number(STEP_UNIT) + number(step)
        say(at + 450_100_000, READING, moment, counters(live, step))
        say(at + 450_200_000, PROBE, text("layers"), number(5))
        if kept and step % 3 == 0:
            scan(say, at + 455_000_000, step)
        if kept and step % 6 == 0:
            look(say, at + 460_000_000, step, kept, folder)
    done = FIRST_STEP_NS + STEPS * STEP_NS
    done_counts = [sample, STEPS - 1, 0, 2_000_000, 900_000_000, 4, 0, 1 << 16, 1 << 16]
    say(done, COUNT, numbers(*done_counts))


def scan(say: object, at_ns: int, step: int) -> None:
    """A scan of containers, which counts objects by type."""
    assert callable(say)
    say(at_ns, OBJECTS, text("train.Event"), number(40 * step))
    if step == 3:
        say(at_ns, OBJECTS, text("dict"), number(5441))
    say(at_ns, CENSUS, numbers(1, 6000 + 40 * step, None, None, None, None, 900_000, 900_000, None, None, 0))


def look(say: object, at_ns: int, step: int, kept: int, folder: str) -> None:
    """A thorough look at the heap after a step: `kept` holds what was kept, `last` what was replaced."""
    assert callable(say)
    held = step * (kept + 56)
    for holder, path, kind, size, elements in (
        (1, "__main__.kept[*]", "list", held, f"{step} x bytearray"),
        (2, "__main__.last['it']", "bytearray", 4 * MIB, ""),
    ):
        names = text(path) + text("") + text(kind) + text(f"{folder}/train.py")
        say(at_ns, HOLDER, number(holder), names, numbers(None, size, size), text(elements), text(""))
    samples = [2 * i - 1 for i in range(1, step + 1)]
    apart = b"".join(number(now - before) for before, now in zip([0, *samples], samples, strict=False))
    say(at_ns, HELD, number(1), number(len(samples)), apart)
    say(at_ns, HELD, number(2), number(1), number(2 * step))
    grown = [1, step, step, 6 * kept, 6, 0]
    say(at_ns, GROWN, b"".join(map(number, grown)))
    counts = [2, 5441, 20_000, 60_000, 4096, 70_000, 9_000_000, 8_000_000, 2 * step, step + 1, 0]
    say(at_ns, CENSUS, numbers(*counts))
