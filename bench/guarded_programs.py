"""The programs of `corpus/` that the guard is tried on, from the truth that stands beside each.

In: `corpus/*/truth.toml`, `train.py`. Out: programs that call `fit` on TensorFlow, in an order that no run
decides.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

CORPUS = Path(__file__).parents[1] / "corpus"
# What a leak of these programs has to fill, about: a fifth of their need.
USUAL_ROOM_BYTES = 80 << 20
OTHER_BACKENDS = re.compile(r"import (torch|jax)|\"(torch|jax)\"")


@dataclass(frozen=True)
class Program:
    """One way in which a program of the corpus is run."""

    folder: str
    arguments: tuple[str, ...]
    bytes_per_epoch: int  # 0 for a healthy one
    epochs: int  # as the truth has them
    seconds: float  # about; of a leaking one until it meets its limit
    source_in_c: str | None
    same_stdout: bool

    @property
    def leaks(self) -> bool:
        return self.bytes_per_epoch > 0

    @property
    def kind(self) -> str:
        return "leak" if self.leaks else "healthy"

    @property
    def script(self) -> Path:
        return CORPUS / self.folder / "train.py"


def programs(leaking: bool) -> list[Program]:
    """One run of each program. Healthy ones without a leaking twin come first, then the shortest."""
    found = []
    for path in sorted(CORPUS.glob("*/truth.toml")):
        truth = tomllib.loads(path.read_text())
        script = path.with_name("train.py")
        text = script.read_text() if script.exists() else ""
        if ".fit(" not in text or truth.get("requires") or OTHER_BACKENDS.search(text):
            continue
        run = next((run for run in truth["run"] if _fits(run, text, leaking)), None)
        if run is not None:
            is_twin = any(each["verdict"] == "leak" for each in truth["run"])
            found.append((is_twin, _program(path.parent.name, run, leaking)))
    found.sort(key=lambda each: (each[0], each[1].seconds, each[1].folder))
    return [program for _, program in found]


def _fits(run: dict[str, Any], text: str, leaking: bool) -> bool:
    if run["verdict"] != ("leak" if leaking else "no_leak") or run.get("subject") == "child":
        return False
    # The guard acts between epochs of one fit: a leak must grow there, for as many epochs as we ask for.
    return not leaking or (run["unit"] == ["epoch"] and '"--epochs"' in text and "epochs=1" not in text)


def _program(folder: str, run: dict[str, Any], leaking: bool) -> Program:
    growth = run["bytes_per_cycle"] if leaking else 0
    epochs = run.get("cycles", 16)
    seconds = run["seconds"] * (USUAL_ROOM_BYTES / growth / epochs if leaking else 1)
    arguments = tuple(run.get("args", ()))
    return Program(
        folder, arguments, growth, epochs, seconds, run.get("compile"), run.get("same_stdout", False)
    )
