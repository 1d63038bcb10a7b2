"""Scans of bulk values: those that a longer one replaces, and buffers that are added to."""

from __future__ import annotations

import array
import io

from scan_door import (
    forget,
    grown,
    run_checks,
    scan,
)


class Report:
    """A text that is joined with the next, and one that is replaced by its like."""

    text = ""

    def __init__(self) -> None:
        self.log, self.last = b"", ""


REPORT = Report()


def check_a_text_that_is_joined_with_the_next() -> None:
    forget()
    for number in range(7):
        REPORT.log = REPORT.log + bytes([number]) * 20_000
        Report.text = Report.text + f"{number}" * 30_000
        REPORT.last = f"{number}" * 90_000
        result = scan()
    for text, more in ((REPORT.log, 20_000), (Report.text, 30_000)):
        one = grown(text, result)
        assert more - 64 <= one["bytes"] <= more + 64, one
        assert 7 * more - 500 <= one["length"] <= 7 * more + 500, one
    assert grown(REPORT.last, result) is None


class Buffers:
    """Buffers and files in memory that are added to, and those that are as long as before."""

    def __init__(self) -> None:
        self.raw, self.numbers = bytearray(), array.array("d")
        self.file, self.log, self.read = io.BytesIO(), io.StringIO(), io.StringIO()
        self.ring, self.page, self.emptied = bytearray(200_000), io.BytesIO(bytes(200_000)), io.StringIO()


BUFFERS = Buffers()


def check_a_buffer_that_is_added_to_grows() -> None:
    forget()
    for number in range(7):
        BUFFERS.raw += bytes([number]) * 20_000
        BUFFERS.numbers.extend([float(number)] * 2500)
        BUFFERS.file.write(bytes([number]) * 20_000)
        BUFFERS.log.write(f"{number}" * 20_000)
        BUFFERS.read.write(f"{number}" * 20_000)
        BUFFERS.read.seek(0)
        BUFFERS.read.readline()
        BUFFERS.ring[number * 20_000 : (number + 1) * 20_000] = bytes([number]) * 20_000
        BUFFERS.page.seek(number * 20_000)
        BUFFERS.page.write(bytes([number]) * 20_000)
        BUFFERS.emptied.seek(0)
        BUFFERS.emptied.truncate()
        BUFFERS.emptied.write(f"{number}" * 90_000)
        result = scan()
    for grows, more in (
        (BUFFERS.raw, 20_000),
        (BUFFERS.numbers, 20_000),
        (BUFFERS.file, 20_000),
        (BUFFERS.log, 20_000),
        (BUFFERS.read, 80_000),
    ):
        one = grown(grows, result)
        assert one, type(grows)
        assert more - 64 <= one["bytes"] <= more + 64, one
        assert 7 * more - 64 <= one["length"] <= 7 * more, one
    for still in (BUFFERS.ring, BUFFERS.page, BUFFERS.emptied):
        assert grown(still, result) is None, type(still)
    BUFFERS.file.close()
    BUFFERS.log.close()
    scan()


class Batch:
    """The tokens of a batch, as many as its longest text has."""

    tokens = b""


BATCH = Batch()


def check_a_value_that_varies_grows_beyond_its_longest_alone() -> None:
    forget()
    told = {}
    for length in (100, 160, 80, 140, 70, 120, 150, 170, 180, 190, 50):
        BATCH.tokens = bytes(length * 1000)
        told[length] = grown(BATCH.tokens, scan())
    assert [length for length, one in told.items() if one] == [180, 190, 50], told
    assert told[190]["bytes"] // 64 == 10_000 // 64, told
    assert told[50]["bytes"] == 0, "it varies again"
    assert told[50]["before"] > told[50]["length"], told


run_checks(globals())
