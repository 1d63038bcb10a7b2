"""What the report of a long run costs: a capture of a gigabyte, made here, for a terminal and as a page.

The capture has 2,000 cycles, and stacks of 40 frames below 10,000 sites. Of its samples, which are nearly all
of it, one in five hundred stays. Prints; judges nothing.
"""

from __future__ import annotations

import argparse
import statistics
import struct
import sys
import tempfile
from pathlib import Path

import numpy as np
from measure import cost_of

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "golden"))

# The tests know how a capture is written.
import made_capture as made

CYCLES = 2000
CYCLE_NS = 1_000_000_000
SITES = 10_000
DEEP = 40
STAYS = 500
BIRTH_BYTES, DEATH_BYTES = 40, 16
MIB = 1 << 20


def padded(values: np.ndarray, width: int) -> np.ndarray:
    """Numbers as a capture has them, all of the same width: rows of bytes."""
    shifts = np.arange(width, dtype=np.uint64) * np.uint64(7)
    rows = (values.astype(np.uint64)[:, None] >> shifts & np.uint64(127)).astype(np.uint8)
    rows[:, :-1] |= 128
    return rows


def records(kind: int, size: int, *fields: np.ndarray) -> np.ndarray:
    body = np.concatenate(fields, axis=1)
    out = np.zeros((len(body), size), np.uint8)
    word = 1 << 31 | kind << 24 | body.shape[1]
    out[:, :4] = np.frombuffer(struct.pack("<I", word), np.uint8)
    out[:, 4 : 4 + body.shape[1]] = body
    return out


def cycle_of(nth: int, each: int, chance: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Births within a cycle, and the deaths of all but a few of them in this one or the next."""
    ids = nth * each + 1 + np.arange(each)
    begin = 4 * 10**9 + nth * CYCLE_NS
    born = begin + np.sort(chance.integers(0, CYCLE_NS * 9 // 10, each))
    sites = (chance.pareto(0.7, each) * 40).astype(np.int64) % SITES
    size = chance.integers(1 << 10, 1 << 16, each)
    one = np.ones(each, np.int64)
    births = records(
        made.BIRTH,
        BIRTH_BYTES,
        padded(born, 7),
        padded(ids, 5),
        padded((sites + 1) * DEEP, 4),
        padded(size, 4),
        padded(one << 19, 3),
        padded((ids % 100_000) * 65536 + (0x7F00 << 32), 7),
        padded(one * made.PROGRAM, 3),
        padded(one * 0, 1),
    )
    gone = ids % STAYS != 0
    died = born[gone] + chance.integers(3 * 10**8, CYCLE_NS, gone.sum())
    deaths = records(made.DEATH, DEATH_BYTES, padded(died, 7), padded(ids[gone], 5))
    return births, deaths


def stacks(story: made.Story) -> None:
    """Sites that share the way in: a stack of so many frames for each."""
    say = story.say
    for i in range(1, 401):
        say(made.PROGRAM, 1_000_000, made.TEXT, made.number(i), made.text(f"/job/lib/file_{i}.py"))
        function = made.text(f"call_{i}")
        say(made.PROGRAM, 1_000_000, made.TEXT, made.number(1000 + i), function)
        ids = made.number(i) + made.number(1000 + i)
        say(made.PROGRAM, 1_000_000, made.CODE, made.number(i), ids, made.number(1))
    for site in range(SITES):
        frames = b"".join(
            made.number((1 + (site * (depth > 25) * depth + depth * 7) % 400) << 2 | 1)
            + made.number(10 + depth)
            for depth in range(DEEP)
        )
        node = made.number(site * DEEP + 1)
        say(made.PROGRAM, 1_000_000, made.STACK, node, made.number(0), made.number(DEEP), frames)


def write(path: Path, mebibytes: int) -> None:
    story = made.Story()
    made.begin(story, "/job")
    story.say(made.PROGRAM, 900_000, made.START, made.number(1 << 19))
    stacks(story)
    each = mebibytes * MIB // CYCLES // (BIRTH_BYTES + DEATH_BYTES)
    for nth in range(1, CYCLES + 1):
        at = 4 * 10**9 + nth * CYCLE_NS
        story.say(made.PROGRAM, at, made.CYCLE, made.number(made.STEP_UNIT), made.number(nth))
        moment = made.number(0) + made.number(made.STEP_UNIT) + made.number(nth)
        story.say(made.PROGRAM, at, made.READING, moment, made.counters((200 + nth) * MIB, nth))
    end = 5 * 10**9 + CYCLES * CYCLE_NS
    story.say(made.SUPERVISOR, end, made.FACT, made.text("recorder"), made.text("on"))
    story.write(path, CYCLES)
    chance = np.random.default_rng(1)
    with path.open("ab") as file:
        waiting = [np.empty((0, BIRTH_BYTES), np.uint8), np.empty((0, DEATH_BYTES), np.uint8)]
        for nth in range(CYCLES):
            for i, rows in enumerate(cycle_of(nth, each, chance)):
                together = np.concatenate([waiting[i], rows])
                whole = 0 if nth + 1 < CYCLES else len(together)
                whole = max(whole, len(together) // fitting(rows) * fitting(rows))
                file.write(segments(together[:whole]))
                waiting[i] = together[whole:]
        units = (file.tell() - made.PAGE) // made.UNIT
    with path.open("r+b") as file:
        file.seek(40)
        file.write(struct.pack("<Q", units))


def fitting(rows: np.ndarray) -> int:
    """How many of such records a unit takes."""
    return (made.UNIT - 32) // rows.shape[1]


def segments(rows: np.ndarray) -> bytes:
    most = fitting(rows)
    out = []
    for begin in range(0, len(rows), most):
        body = rows[begin : begin + most].tobytes()
        head = b"\x93segment" + struct.pack("<IIII", 1, made.PROGRAM, 0, 32 + len(body)) + bytes(8)
        out.append((head + body).ljust(made.UNIT, b"\0"))
    return b"".join(out)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--mebibytes", type=int, default=1024, help="about how big the capture is (default 1024)"
    )
    parser.add_argument("--runs", type=int, default=3, help="reports of each kind (default 3)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        capture = Path(folder, "long.nilo")
        write(capture, options.mebibytes)
        print(f"capture of {capture.stat().st_size / MIB:.0f} MiB")
        for form in ("terminal", "html"):
            command = [sys.executable, "-m", "nilometer", "report", str(capture), "--format", form]
            costs = [cost_of([*command, "-o", str(Path(folder, form))], {}) for _ in range(options.runs)]
            for name, values in (
                ("wall s", [cost.wall_s for cost in costs]),
                ("CPU s", [cost.cpu_s for cost in costs]),
                ("peak MiB", [cost.peak_bytes / MIB for cost in costs]),
            ):
                print(f"{form:10}{name:10}{statistics.median(values):8.2f}  at most {max(values):.2f}")


if __name__ == "__main__":
    main()
