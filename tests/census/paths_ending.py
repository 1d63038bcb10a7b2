"""A trainer whose `fit` has returned, under our own wrapper: who holds the callbacks then? Prints it."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import paths_door as door
from nilometer.frameworks.keras.hooks import trainers

MADE: list[int] = []


class Keeper:
    """Nothing but the call's arguments leads to it."""

    def __init__(self) -> None:
        self.kept: dict[str, Any] = {}

    def epoch(self, number: int) -> None:
        self.kept[f"epoch {number}"] = one = bytes(50_000)
        MADE.append(id(one))


class Trainer:
    """As Keras': its own frames are gone by the time the wrapper says that it has ended."""

    def fit(self, x: object, callbacks: list[Keeper]) -> None:
        for number in range(4):
            callbacks[0].epoch(number)


def look(_name: str) -> None:
    found = door.holders(door.whole([door.block(address) for address in MADE]))
    said = {holder["path"]["text"] or holder["class"] for holder in found.values()}
    print(json.dumps([sorted(said), len(found)]))


def main() -> None:
    """Marks need no session here."""
    nothing: Any = lambda *_arguments: None  # noqa: E731
    trainers.begin = trainers.leave = trainers.enter = nothing  # type: ignore[assignment]
    trainers.end = look  # type: ignore[assignment]
    trainers.shapes = SimpleNamespace(shape_of=nothing)  # type: ignore[assignment]
    trainers.stateful = SimpleNamespace(enter=nothing, leave=nothing)  # type: ignore[assignment]
    trainers.probes = SimpleNamespace(cycle=nothing)  # type: ignore[assignment]
    trainers.replace(Trainer, "fit", trainers._call("fit", 0))
    Trainer().fit(None, callbacks=[Keeper()])


main()
