"""Reads the samples of a capture by `docs/capture-format.md` alone; a second opinion on writer and reader.

Births and deaths as they stand in the file, from records and nurseries; nothing is named or weighed here.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from pathlib import Path

HEADER, UNIT = 4096, 65536
BIRTH, DEATH, NURSERY = 15, 16, 18
SLOT = 64
YOUNG, LEAVING = 2, 3
SOURCES = ("malloc", "mmap", "python", "pool", "pool memory", "device")


@dataclass(frozen=True)
class Sample:
    """A block that was sampled at its birth."""

    pid: int
    id: int
    at_ns: int
    size: int
    mean: int
    address: int
    source: str
    dead: bool

    @property
    def weight(self) -> float:
        """How many bytes it stands for."""
        return self.size / -math.expm1(-self.size / self.mean)


def samples_of(path: Path) -> list[Sample]:
    """Every sample in the file; `dead` where a death is recorded."""
    data = path.read_bytes()
    born: dict[tuple[int, int, int], tuple[int, ...]] = {}
    dead: set[tuple[int, int]] = set()
    for base in range(HEADER, len(data), UNIT):
        segment = data[base : base + UNIT]
        if segment[:8] != b"\x93segment":
            continue
        (pid,) = struct.unpack_from("<I", segment, 12)
        for kind, payload in records(segment):
            if kind == BIRTH:
                at_ns, id, _, size, mean, address, _, source = numbers(payload, 8)
                born[pid, id, at_ns] = (size, mean, address, source)
            elif kind == DEATH:
                dead.add((pid, numbers(payload, 2)[1]))
            elif kind == NURSERY:
                for id, at_ns, *rest in slots(payload):
                    born.setdefault((pid, id, at_ns), tuple(rest))
    return [
        Sample(pid, id, at_ns, size, mean, address, SOURCES[source], (pid, id) in dead)
        for (pid, id, at_ns), (size, mean, address, source) in born.items()
    ]


def records(segment: bytes) -> list[tuple[int, bytes]]:
    """Committed records of a segment: kind and payload."""
    found = []
    at = 32
    while at + 4 <= len(segment):
        (word,) = struct.unpack_from("<I", segment, at)
        if word == 0:
            break
        length = word & 0xFFFFFF
        if word >> 31:
            found.append((word >> 24 & 0x7F, segment[at + 4 : at + 4 + length]))
        at += (4 + length + 7) // 8 * 8
    return found


def numbers(payload: bytes, count: int) -> list[int]:
    """The first `count` numbers of a payload."""
    values = []
    at = 0
    for _ in range(count):
        value = shift = 0
        while True:
            byte = payload[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
        values.append(value)
    return values


def slots(payload: bytes) -> list[list[int]]:
    """What lives in a nursery: id, time, size, mean, address, source."""
    living = []
    for at in range(4, len(payload) - SLOT + 1, SLOT):
        state, at_ns, _, size, mean, address, thread_and_source, _ = struct.unpack_from("<8Q", payload, at)
        if state & 3 in (YOUNG, LEAVING):
            living.append([state >> 2, at_ns, size, mean, address, thread_and_source & 0xFF])
    return living
