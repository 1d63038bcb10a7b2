"""Proofs of programs that keep tensors on a device: a stand-in of PyTorch counts what is in use there."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import jsonschema
from prove_bench import Bench

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "prove.schema.json").read_text())
TORCH = Path(__file__).parents[1] / "stand_ins" / "torch"

LOOP = """
import time
import nilometer
from torch import _C, cuda

class Tensor:
    def __init__(self, size):
        self.size = size
        _C.take(size)

    def __del__(self):
        _C.take(-self.size)

LOSSES = []
cuda._initialized = True
weights = Tensor(100 << 20)
for turn in range(60):
    {turn}
    time.sleep(0.01)
    nilometer.cycle()
"""


def proof(bench: Bench, turn: str) -> dict[str, Any]:
    shutil.copytree(TORCH, bench.folder / "torch")
    proof = bench.proof(bench.script(LOOP.format(turn=turn)))
    jsonschema.validate(proof, SCHEMA)
    return proof


def test_a_list_that_keeps_tensors_is_found_and_bounding_it_cures(bench: Bench) -> None:
    done = proof(bench, "LOSSES.append(Tensor(1 << 20))")
    assert (done["answer"], done["device"]) == ("cured", "GPU 0"), done["sentence"]
    assert done["cure"]["set"] == ["bounded:__main__.LOSSES"]
    assert done["baseline"]["growth"] == {"estimate": 1 << 20, "low": 1 << 20, "high": 1 << 20}
    assert done["sentence"].startswith("with __main__.LOSSES bounded removes 100 % of the growth on GPU 0")


def test_one_that_keeps_the_last_tensors_needs_no_cure(bench: Bench) -> None:
    done = proof(bench, "LOSSES[:] = [Tensor(1 << 20)]")
    assert (done["answer"], done["device"]) == ("nothing_to_cure", None), done["sentence"]
