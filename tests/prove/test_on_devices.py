"""Proofs of programs that keep tensors on a device: a stand-in of PyTorch counts what is in use there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
from prove_bench import Bench

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "prove.schema.json").read_text())

TORCH = {
    "torch/__init__.py": "",
    "torch/_C.py": """
used = peak = 0

def take(size):
    global used, peak
    used += size
    peak = max(peak, used)

def _cuda_getDeviceCount():
    return 1

def _cuda_memoryStats(device):
    of = lambda current, peak: {"all": {"current": current, "peak": peak}}
    return {"allocated_bytes": of(used, peak), "reserved_bytes": of(peak, peak)}
""",
    "torch/cuda/__init__.py": """
_initialized = True

class _get_device_properties:
    def __init__(self, device):
        self.total_memory = 1 << 30
""",
}

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
weights = Tensor(100 << 20)
for turn in range(60):
    {turn}
    time.sleep(0.01)
    nilometer.cycle()
"""


def proof(bench: Bench, turn: str) -> dict[str, Any]:
    for name, text in TORCH.items():
        (bench.folder / name).parent.mkdir(parents=True, exist_ok=True)
        bench.script(text, name)
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
