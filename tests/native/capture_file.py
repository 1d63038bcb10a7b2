"""Makes and reads capture files by `docs/capture-format.md` alone: a second opinion on the Rust writer.

Reads committed records only, in file order; knows one unit per segment.
"""

from __future__ import annotations

import struct
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

COUNTERS = [
    "rss_anon",
    "rss_file",
    "rss_shmem",
    "swap",
    "vm_size",
    "vm_data",
    "threads",
    "heap_in_use",
    "heap_mapped",
    "heap_free",
    "heap_system",
    "py_in_use",
    "py_system",
    "py_blocks",
    "gc0",
    "gc1",
    "gc2",
    "gc_young",
    "cost_ns",
    "gc_collected",
    "pool_used",
    "pool_reserved",
    "gc_enabled",
    "library_used",
    "modules",
    "py_kept",
]
MOMENTS = ("cycle", "phase", "tick", "before_exit", "after_exit_collection")
KINDS = {1: "fact", 2: "cycle", 3: "phase", 4: "reading", 7: "child", 9: "loss"}
PAGE = 4096
UNIT = 65536


@dataclass(frozen=True)
class Record:
    at_ns: int
    pid: int
    kind: str
    fields: dict[str, Any]

    def __getitem__(self, name: str) -> Any:
        return self.fields[name]


@dataclass(frozen=True)
class Capture:
    records: list[Record]
    steps: int
    cycles: list[int]
    lost: int

    def of(self, kind: str, **wanted: object) -> list[Record]:
        return [
            record
            for record in self.records
            if record.kind == kind and all(record.fields.get(name) == value for name, value in wanted.items())
        ]


def create(path: Path) -> None:
    page = bytearray(PAGE)
    page[:8] = b"\x89NILO\r\n\x1a"
    struct.pack_into("<HHIII", page, 8, 1, 0, PAGE, UNIT, 0)
    struct.pack_into("<QQ", page, 24, time.time_ns(), time.monotonic_ns())
    path.write_bytes(page)


class _Payload:
    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def number(self) -> int:
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def text(self) -> str:
        length = self.number()
        self.at += length
        return self.data[self.at - length : self.at].decode()

    def list(self) -> list[int | None]:
        count = self.number()
        bits = self.data[self.at : self.at + (count + 7) // 8]
        self.at += len(bits)
        return [self.number() if bits[index // 8] >> index % 8 & 1 else None for index in range(count)]


def _decode(kind: str, payload: _Payload) -> dict[str, Any]:
    if kind == "fact":
        return {"key": payload.text(), "value": payload.text()}
    if kind == "cycle":
        return {"unit": payload.number(), "ordinal": payload.number()}
    if kind == "phase":
        name, edge, thread = payload.text(), payload.number(), payload.number()
        return {"name": name, "edge": ("begin", "end")[edge], "thread": thread}
    if kind == "reading":
        fields: dict[str, Any] = {"moment": MOMENTS[payload.number()]}
        if fields["moment"] == "cycle":
            fields |= {"unit": payload.number(), "ordinal": payload.number()}
        # Lists grow at their end; what is not known here is left over.
        return fields | dict(zip(COUNTERS, payload.list(), strict=False))
    if kind == "child":
        return {"pid": payload.number(), "parent": payload.number(), "role": payload.text()}
    return {"what": payload.text(), "count": payload.number()}


def read(path: Path) -> Capture:
    data = path.read_bytes()
    (lost, steps), cycles = struct.unpack_from("<QQ", data, 48), struct.unpack_from("<32Q", data, 64)
    records = []
    for base in range(PAGE, len(data), UNIT):
        segment = data[base : base + UNIT]
        if segment[:8] != b"\x93segment":
            continue
        (pid,) = struct.unpack_from("<I", segment, 12)
        at = 32
        while at + 4 <= len(segment):
            (word,) = struct.unpack_from("<I", segment, at)
            if word == 0:
                break
            length, kind = word & 0xFFFFFF, KINDS.get(word >> 24 & 0x7F)
            if word >> 31 and kind:
                payload = _Payload(segment[at + 4 : at + 4 + length])
                records.append(Record(payload.number(), pid, kind, _decode(kind, payload)))
            at += (4 + length + 7) // 8 * 8
    return Capture(sorted(records, key=lambda record: record.at_ns), steps, list(cycles), lost)
