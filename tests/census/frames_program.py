"""pandas' frames, series and indexes: what a list that keeps one more each time keeps."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from scan_door import forget, grown, run_checks, scan

ROWS = 20_000


def bytes_of(make: Callable[[int], object]) -> int:
    """Bytes that a scan tells of the newest of such things in a list that keeps one more each time."""
    kept: list[object] = []
    forget()
    for number in range(4):
        kept.append(make(number))
        gc.collect()
        result = scan()
    one = grown(kept, result)
    assert one is not None
    assert not one["native"], one
    return int(one["bytes"])


def near(make: Callable[[int], object], expected: int) -> None:
    told = bytes_of(make)
    assert 0.98 * expected <= told <= 1.1 * expected + 8000, (told, expected)


def numbers(number: int) -> Any:
    return pd.DataFrame(np.full((ROWS, 6), float(number)), columns=list("abcdef"))


def check_frames_of_numbers() -> None:
    near(numbers, ROWS * 6 * 8)
    columns: dict[str, Any] = {"a": np.arange(ROWS), "b": np.random.rand(ROWS), "c": np.ones(ROWS, "f4")}
    near(lambda number: pd.DataFrame({**columns, "n": number}, copy=True), ROWS * (8 + 8 + 4 + 8))


def check_rows_and_columns_keep_the_whole_frame() -> None:
    near(lambda number: numbers(number)["c"], ROWS * 6 * 8)
    near(lambda number: numbers(number)[:10], ROWS * 6 * 8)
    near(lambda number: numbers(number)[:10].copy(), 10 * 6 * 8)


def check_series_and_indexes() -> None:
    near(lambda number: pd.Series(np.full(ROWS, number)), ROWS * 8)
    near(lambda number: pd.Index(np.arange(number, ROWS + number)), ROWS * 8)
    near(lambda number: pd.date_range("2020", periods=ROWS, freq="s") + pd.Timedelta(number, "s"), ROWS * 8)
    near(lambda number: pd.Series(pd.Categorical.from_codes(np.zeros(ROWS, "i1"), [str(number)])), ROWS)
    near(lambda number: pd.array(np.full(ROWS, number), dtype="Int64"), ROWS * (8 + 1))


class Log:
    """Keeps one frame of all rows, and one of the last rows."""

    def __init__(self) -> None:
        self.rows = pd.DataFrame()
        self.last = pd.DataFrame()


LOG = Log()


def check_a_frame_that_is_joined_with_the_next() -> None:
    forget()
    scores = pd.Series(dtype="f8")
    for number in range(7):
        more = numbers(number)[:1000]
        LOG.rows = pd.concat([LOG.rows, more], ignore_index=True)
        LOG.last = pd.concat([LOG.last, more])[-3500:].copy()
        scores = pd.concat([scores, pd.Series(np.full(9000, float(number)))], ignore_index=True)
        result = scan()
    for frame, bytes_more, kind in ((LOG.rows, 1000 * 6 * 8, "DataFrame"), (scores, 9000 * 8, "Series")):
        one = grown(frame, result)
        assert one is not None, kind
        assert abs(one["bytes"] - bytes_more) <= 64, one
        assert (one["kind"].rsplit(".")[-1], one["elements"]) == (kind, kind), one
    assert grown(LOG.last, result) is None, "it is as long as it will be"


def texts(number: int) -> list[str]:
    return [f"row {row} of {number}" * 5 for row in range(1000)]


def check_columns_of_objects() -> None:
    size = sum(sys.getsizeof(text) for text in texts(0)) + 8 * 1000
    near(lambda number: pd.DataFrame({"text": np.array(texts(number), dtype=object)}, dtype=object), size)
    near(lambda number: pd.Series([bytes([number]) + bytes(999) for _ in range(1000)]), 1000 * (1033 + 8))


def check_what_a_lookup_adds() -> None:
    """A table of places is made when an index is first searched; pandas has it in memory of its own."""

    def searched(number: int) -> Any:
        index = pd.Index(np.random.permutation(ROWS) + number)
        assert (number + 5) in index
        return index

    near(searched, ROWS * 8 + 2 * 32_768 * 8 + 32_768 // 4)


def check_joined_frames() -> None:
    frame = numbers(0)
    near(lambda number: pd.concat([frame[:1000], frame[1000:3000]]), 3000 * 6 * 8)
    near(lambda number: frame.groupby("a").mean(), 8 * 6)


run_checks(globals())
