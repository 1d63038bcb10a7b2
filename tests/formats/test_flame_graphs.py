"""Folded stacks, speedscope and Firefox Profiler: the same memory, in shapes that their readers take."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from forms import KEPT, STEPS, Forms

INDICES = {"type": "array", "items": {"type": "integer", "minimum": 0}}
# As much of speedscope's file format as a sampled profile has.
SPEEDSCOPE = {
    "type": "object",
    "additionalProperties": False,
    "required": ["$schema", "shared", "profiles"],
    "properties": {
        "$schema": {"const": "https://www.speedscope.app/file-format-schema.json"},
        "name": {"type": "string"},
        "exporter": {"type": "string"},
        "activeProfileIndex": {"type": "integer"},
        "shared": {
            "type": "object",
            "required": ["frames"],
            "properties": {
                "frames": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "required": ["name"],
                        "additionalProperties": False,
                        "properties": {
                            "name": {"type": "string"},
                            "file": {"type": "string"},
                            "line": {"type": "integer"},
                            "col": {"type": "integer"},
                        },
                    },
                }
            },
        },
        "profiles": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["type", "name", "unit", "startValue", "endValue", "samples", "weights"],
                "additionalProperties": False,
                "properties": {
                    "type": {"const": "sampled"},
                    "name": {"type": "string"},
                    "unit": {"const": "bytes"},
                    "startValue": {"type": "number"},
                    "endValue": {"type": "number"},
                    "samples": {"type": "array", "items": INDICES},
                    "weights": INDICES,
                },
            },
        },
    },
}


def folded(text: bytes) -> dict[tuple[str, ...], int]:
    lines = text.decode().splitlines()
    pairs = [line.rsplit(" ", 1) for line in lines]
    assert len({stack for stack, _ in pairs}) == len(pairs), "each stack once"
    return {tuple(stack.split(";")): int(weight) for stack, weight in pairs}


def test_folded_stacks_weigh_what_lives_or_what_grows(forms: Forms) -> None:
    live, growth = folded(forms.of("collapsed")), folded(forms.of("collapsed", "--weight", "growth"))
    stack = max(live, key=lambda stack: live[stack])
    assert "keep (leak.py:8)" in stack
    assert live[stack] == pytest.approx(KEPT * STEPS, rel=0.01)
    assert growth[stack] == pytest.approx(KEPT, rel=0.01)
    assert sum(growth.values()) < 1.1 * KEPT, "what is replaced does not grow"


def test_speedscope_reads_it(forms: Forms) -> None:
    document = json.loads(forms.of("speedscope"))
    jsonschema.validate(document, SPEEDSCOPE)
    count = len(document["shared"]["frames"])
    for profile in document["profiles"]:
        assert len(profile["samples"]) == len(profile["weights"])
        assert sum(profile["weights"]) == profile["endValue"]
        assert all(frame < count for stack in profile["samples"] for frame in stack)
    live, growth, by_birth = document["profiles"]
    total = sum(folded(forms.of("collapsed")).values())
    assert live["endValue"] == total
    assert by_birth["endValue"] == pytest.approx(total, rel=0.001)
    assert growth["endValue"] == pytest.approx(KEPT, rel=0.1)


def columns(table: dict[str, Any]) -> None:
    lengths = {name: len(column) for name, column in table.items() if isinstance(column, list)}
    assert set(lengths.values()) <= {table["length"]}, lengths


def test_firefox_profiler_finds_its_tables(forms: Forms) -> None:
    document = json.loads(forms.of("firefox"))
    assert document["meta"]["preprocessedProfileVersion"] == 53
    (thread,) = document["threads"]
    tables = ["frameTable", "funcTable", "stackTable", "samples", "markers", "nativeSymbols", "resourceTable"]
    for name in tables:
        columns(thread[name])
    strings, functions, frames, stacks = (
        thread[name] for name in ("stringArray", "funcTable", "frameTable", "stackTable")
    )
    assert all(0 <= name < len(strings) for name in functions["name"])
    assert all(0 <= function < functions["length"] for function in frames["func"])
    assert all(0 <= category < len(document["meta"]["categories"]) for category in frames["category"])
    # A stack comes after the one it hangs below: the profiler walks the table once.
    assert all(prefix is None or prefix < i for i, prefix in enumerate(stacks["prefix"]))
    samples = thread["samples"]
    assert samples["weightType"] == "bytes"
    assert samples["time"] == sorted(samples["time"])
    assert sum(samples["weight"]) == pytest.approx(sum(folded(forms.of("collapsed")).values()), rel=0.001)
    (counter,) = document["counters"]
    columns(counter["samples"])
    assert sum(counter["samples"]["count"]) > KEPT * STEPS


def test_firefox_samples_are_born_over_the_run(forms: Forms) -> None:
    document = json.loads(forms.of("firefox"))
    (thread,) = document["threads"]
    heavy = [
        time
        for time, weight in zip(thread["samples"]["time"], thread["samples"]["weight"], strict=True)
        if weight == pytest.approx(KEPT, rel=0.01)
    ]
    assert len(heavy) == STEPS
    assert len(set(heavy)) == STEPS
