"""`nilometer.check()`: what one call of a function leaves behind, from 64 bytes on; garbage is nothing."""

from __future__ import annotations

import functools
import gc
import json
import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import nilometer
import pytest

kept: list[object] = []
by_number: dict[int, str] = {}
ring: list[object] = [None] * 8
calls = 0


@pytest.fixture
def small_heap() -> Iterator[None]:
    """Each call that is read collects: what other tests loaded is not walked anew each time.

    Not where a holder is looked for: it would lie in the part that is left out.
    """
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()
    kept.clear()
    by_number.clear()
    remembered.cache_clear()


class Node:
    """Refers to itself: only a collection frees it."""

    def __init__(self) -> None:
        self.me = self
        self.data = bytearray(5000)


@functools.cache
def remembered(number: int) -> bytes:
    return bytes(1000 + number % 2)


def keeps_little() -> None:
    kept.append(bytes(200))


def keeps_an_array() -> None:
    kept.append(bytearray(1 << 20))


def keeps_a_cycle() -> None:
    kept.append(Node())


def fills_a_dict() -> None:
    by_number[len(by_number)] = str(len(by_number)) * 40


def fills_a_cache() -> None:
    global calls
    calls += 1
    remembered(calls)


def makes_garbage() -> None:
    Node()


def makes_json() -> None:
    json.dumps(list(range(100)))


def turns_a_ring() -> None:
    global calls
    calls += 1
    ring[calls % len(ring)] = bytearray(10_000)


def starts_a_thread() -> None:
    thread = threading.Thread(target=int)
    thread.start()
    thread.join()


def compiles_patterns() -> None:
    global calls
    calls += 1
    re.compile(f"a{calls % 5}").match("a1")


@pytest.mark.usefixtures("small_heap")
@pytest.mark.parametrize(
    ("function", "cycles", "bytes_per_call", "by"),
    [
        (keeps_little, 400, 240, 0.1),
        (keeps_an_array, None, 1 << 20, 0.02),
        (keeps_a_cycle, 200, 5150, 0.05),
        # Tables double now and then.
        (fills_a_dict, 400, 165, 0.4),
        (fills_a_cache, 400, 1100, 0.2),
    ],
)
def test_what_a_call_keeps_is_a_leak_of_that_size(
    function: Callable[[], None], cycles: int | None, bytes_per_call: int, by: float
) -> None:
    report = nilometer.check(function, cycles)
    assert (report.verdict, report.cycles.unit) == ("leak", "call"), str(report)
    assert report.growth is not None
    assert report.growth.bytes_per_cycle.estimate == pytest.approx(bytes_per_call, rel=by)
    assert report.program.name == f"{function.__name__}()"


@pytest.mark.usefixtures("small_heap")
@pytest.mark.parametrize(
    ("function", "cycles"),
    [
        (makes_garbage, None),
        (makes_json, None),
        (turns_a_ring, None),
        # Readings differ by up to 3 KiB with what threads leave for the next one: 40 calls may be too few.
        (starts_a_thread, 400),
        (compiles_patterns, None),
    ],
)
def test_what_a_call_gives_back_is_no_leak(function: Callable[[], None], cycles: int | None) -> None:
    report = nilometer.check(function, cycles)
    assert report.verdict == "no_leak", str(report)
    assert gc.isenabled()


def test_the_container_that_grows_is_named(tmp_path: Path) -> None:
    report = nilometer.check(keeps_an_array, 30, capture=tmp_path / "check.nilo")
    assert report.cycles.count == 30
    holder = report.findings[0].holder
    assert holder is not None
    assert holder.path.endswith("kept[*]")
    assert nilometer.read(tmp_path / "check.nilo").verdict == "leak"


def test_an_exception_ends_the_check_and_the_recording(tmp_path: Path) -> None:
    def fails() -> None:
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        nilometer.check(fails)
    with nilometer.start(tmp_path / "own.nilo") as recording:
        assert recording.is_running
        with pytest.raises(nilometer.RecordingError, match="recorded already"):
            nilometer.check(makes_json)


def test_too_few_calls_are_refused() -> None:
    with pytest.raises(ValueError, match="at least 8"):
        nilometer.check(makes_json, 7)
