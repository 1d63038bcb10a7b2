"""pyarrow's tables, batches, arrays and buffers: bytes read without a call, beside what Arrow says."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pyarrow as pa
from scan_door import forget, grown, run_checks, scan, sizes

ROWS = 10_000


def owned(thing: object) -> int:
    """Bytes of its buffers; none twice."""
    return sum(size for _, size in {(at, size) for at, size, owner in sizes(thing)["buffers"] if owner})


def near(thing: Any, expected: int) -> None:
    """Arrow rounds each buffer up to 64 bytes, builders to twice what they need at most."""
    assert expected <= owned(thing) <= 1.05 * expected + 1000, (owned(thing), expected, sizes(thing))
    assert not sizes(thing)["opaque"]


def numbers() -> Any:
    return pa.table({"a": pa.array(range(ROWS)), "b": pa.array(np.random.rand(ROWS), from_pandas=False)})


def check_tables_and_batches() -> None:
    table = numbers()
    near(table, table.get_total_buffer_size())
    assert sizes(table)["words"] == f"Table ({ROWS}, 2)"
    for batch in table.to_batches():
        near(batch, batch.get_total_buffer_size())
        assert sizes(batch)["words"] == f"RecordBatch ({ROWS}, 2)"
    wide = pa.table({str(number): pa.array([number] * 100) for number in range(200)})
    near(wide, wide.get_total_buffer_size())


def check_arrays_of_all_kinds() -> None:
    text = [f"row {row}" * 5 for row in range(ROWS)]
    kinds = [
        pa.array(text),
        pa.array([None, 1.5] * ROWS),
        pa.array([[1, 2], None, [3]] * ROWS),
        pa.array([{"a": 1, "b": "x"}] * ROWS),
        pa.array(text).dictionary_encode(),
        pa.array([True, False] * ROWS),
        pa.array([b"12345678"] * ROWS, pa.binary(8)),
        pa.chunked_array([pa.array([1] * ROWS), pa.array([2] * ROWS)]),
    ]
    for array in kinds:
        near(array, array.get_total_buffer_size())
        short = type(array).__name__
        assert sizes(array)["words"] == f"{short} ({len(array)},)", sizes(array)
    for empty in (pa.array([], pa.int64()), pa.nulls(10), pa.table({"a": pa.array([], pa.string())})):
        assert owned(empty) < 1000
        assert not sizes(empty)["opaque"]


def check_slices_keep_the_whole() -> None:
    table = numbers()
    for part in (table[:10], table["a"], table["a"].chunk(0)[5:10], table.to_batches()[0][3:]):
        assert owned(part) >= ROWS * 8, sizes(part)
    addresses = {(at, size) for at, size, _ in sizes(table)["buffers"]}
    assert {(at, size) for at, size, _ in sizes(table[5:])["buffers"]} == addresses


def check_buffers() -> None:
    buffer = pa.allocate_buffer(100_000)
    near(buffer, 100_000)
    near(buffer[:50], 100_000)
    near(pa.py_buffer(bytes(70_000)), 70_000)


def check_arrays_that_look_at_numpy() -> None:
    """The array keeps numpy's, and nothing of Python's says so."""
    array = pa.array(np.random.rand(ROWS))
    near(array, ROWS * 8)


def check_growing_lists() -> None:
    tables: list[Any] = []
    rows: list[Any] = []
    forget()
    for _ in range(4):
        tables.append(numbers())
        rows.append(numbers()[:5])
        gc.collect()
        result = scan()
    for container in (tables, rows):
        one = grown(container, result)
        assert 2 * ROWS * 8 <= one["bytes"] <= 2.1 * ROWS * 8, one
        assert not one["native"]
    assert grown(tables, result)["elements"] == f"1 x Table ({ROWS}, 2)"


run_checks(globals())
