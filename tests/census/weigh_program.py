"""What scans say that the new elements of a container weigh."""

from __future__ import annotations

import functools
import gc
import io
from typing import Any

from own_types import Plain
from scan_door import (
    allocated,
    forget,
    grown,
    run_checks,
    scan,
    seen,
)


@functools.lru_cache(maxsize=400)
def answer(number: int) -> bytes:
    return bytes(5000 + number)


def check_what_an_lru_cache_has_answered_is_weighed() -> None:
    """Its dict leads to links, which the collector does not know."""
    forget()
    for number in range(4):
        answer(number)
        result = scan()
    answer(4)
    answer(5)
    result = scan()
    cache = next(dict_ for dict_ in gc.get_referents(answer) if type(dict_) is dict and 5 in dict_)
    found = grown(cache, result)
    assert found["length"] == 6, found
    assert 10_000 <= found["bytes"] <= 10_400, found
    assert found["elements"] == "2 x bytes", found


def check_what_a_file_in_memory_holds_is_weighed() -> None:
    """Its bytes are an object that the collector does not see, and that only it refers to."""
    files: list[io.BytesIO] = []
    forget()
    for number in range(5):
        file = io.BytesIO()
        file.write(bytes([number]) * 50_000)
        files.append(file)
        del file
        result = scan()
    one = grown(files, result)
    assert 50_000 < one["bytes"] < 60_000, one
    assert one["elements"] == "1 x BytesIO", one
    files[0].close()
    scan()


def check_what_is_held_elsewhere_is_not_counted() -> None:
    everything = [bytes([number]) + bytes(10_000) for number in range(10)]
    shared: list[Any] = []
    mixed: list[Any] = []
    forget()
    for number in range(4):
        shared.append(everything[number])
        mixed.append((everything[number], bytes([number]) + bytes(1000)))
        result = scan()
    assert grown(shared, result)["shared"]
    one = grown(mixed, result)
    assert 1000 < one["bytes"] < 1300, one
    assert not one["shared"], one
    assert one["elements"].startswith("1 x tuple ("), one
    assert one["elements"].endswith(", bytes)"), one


def check_what_two_that_grow_have_in_common_is_counted_once() -> None:
    everything: list[Any] = []
    best: list[Any] = []
    reports: dict[int, list[Any]] = {}
    newest: list[Any] = []
    forget()
    for number in range(4):
        newest = []  # not seen to grow: it hangs below what does
        reports[number] = newest
        for part in range(10):
            taken = bytes([number, part]) + bytes(10_000)
            everything.append(taken)
            best.append(taken)
            newest.append(taken)
        del taken
        result = scan()
    found = [grown(one, result) for one in (everything, best)]
    counted, other = sorted(found, key=lambda one: -one["bytes"])
    assert 100_000 < counted["bytes"] < 110_000, found
    assert [one["shared"] for one in (counted, other)] == [False, True], found
    assert other["bytes"] == 0, found


def check_what_all_handlers_keep_is_counted_once() -> None:
    handlers: list[list[Any]] = []
    forget()
    number = 0
    # As scans come: close together at first, then some cycles apart. Each cycle brings one more that keeps
    # all from then on.
    for cycles in (1, 1, 1, 1, 2, 3):
        for _ in range(cycles):
            handlers.append([])
            for _ in range(20):
                number += 1
                record = bytes(str(number), "ascii") + bytes(5000)
                for handler in handlers:
                    handler.append(record)
        del record, handler
        result = scan()
    found = [grown(one, result) for one in handlers[:4]]
    counted, *others = sorted(found, key=lambda one: -one["bytes"])
    assert 300_000 < counted["bytes"] < 310_000, found
    assert not counted["shared"], found
    assert all(one["shared"] and one["bytes"] == 0 for one in others), found


def check_the_newest_element_may_still_be_in_a_variable() -> None:
    saved: list[Any] = []
    forget()
    for number in range(4):
        newest = bytes([number]) + bytes(10_000)
        saved.append(newest)
        result = scan()
    assert newest is saved[-1]
    one = grown(saved, result)
    assert 10_000 < one["bytes"] < 10_100, one
    assert not one["shared"], one


def check_nested_elements_weigh_what_is_below_them() -> None:
    saved: list[Any] = []
    forget()
    for number in range(4):
        saved.append({"a": [bytes([number]) + bytes(2000)], "b": Plain(), "self": saved})
        result = scan()
    one = grown(saved, result)
    assert 2000 < one["bytes"] < 3500, one
    saved.clear()


def check_many_elements_are_weighed_by_a_part() -> None:
    rows: list[Any] = []
    forget()
    for start in range(4):
        rows.extend((float(start * 30_000 + number), float(-number - 1)) for number in range(30_000))
        result = scan()
    one = grown(rows, result)
    each = allocated(seen((1.5, 2.5))["bytes"]) + 2 * allocated(seen(1.5)["bytes"])
    assert each == 64 + 2 * 32, "what Python's allocator takes for them, in steps of 16 bytes"
    assert one["elements"] == "30,000 x tuple (float, float)", one
    assert abs(one["bytes"] - 30_000 * each) < 0.02 * 30_000 * each, (one, each)


def check_heavy_elements_are_weighed_by_a_few_of_them() -> None:
    """Fifteen models at once are more than a look may walk; two are not."""
    container: list[Any] = []
    forget()

    def model() -> list[Any]:
        layers: list[Any] = [bytearray(100_000)]
        for _ in range(4000):
            layers = [layers]
        return layers

    for _ in range(3):
        container.extend(model() for _ in range(15))
        one = grown(container, scan())
    assert one["length"] - one["before"] == 15
    each = 100_057 + 4000 * (allocated(seen([None])["bytes"]) + allocated(8))
    assert 0.95 * 15 * each < one["bytes"] < 1.05 * 15 * each, (one, each)
    assert one["elements"] == "15 x list", one
    assert not one["partial"], one


run_checks(globals())
