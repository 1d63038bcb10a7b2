"""What a program keeps on a device is a leak of the job; what its steps work with for a moment is none."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from cli_bench import Bench

TORCH = Path(__file__).parents[1] / "stand_ins" / "torch"

TRAINING = """
import random, time
from torch import _C, cuda
time.sleep(0.3)
cuda._initialized = True
_C.take(100 << 20)

def step():
    size = random.randrange(64 << 20)
    _C.take(size)
    time.sleep(0.012)
    _C.take(-size)

def train():
    for epoch in range(1, 25):
        for _ in range(8):
            step()
        {keep}
        print(f"epoch {{epoch}} loss {{1 / epoch:.3f}}")

train()
print("too early", _C.too_early)
"""

KEEPS = "_C.take(256 << 10)"
SWINGS = "_C.take(0)"
RESERVES = "_C.reserved += 24 << 20"


def told(bench: Bench, keep: str) -> dict[str, Any]:
    shutil.copytree(TORCH, bench.folder / "torch")
    done = bench.watched("-q", bench.script(TRAINING.format(keep=keep)))
    assert b"too early 0" in done.stdout, done.stdout
    report = bench.report(str(bench.captures()[-1]), "--format", "json")
    told: dict[str, Any] = json.loads(report.stdout)
    assert told["job"]["program"] == "no_leak", told["reason"]
    assert told["losses"] == []
    return told


def test_a_quarter_of_a_mebibyte_per_epoch_is_told_through_swings_of_64(bench: Bench) -> None:
    report = told(bench, KEEPS)
    assert (report["verdict"], report["job"]["device"]) == ("leak", "GPU 0"), report["reason"]
    (finding,) = report["findings"]
    assert (finding["cause"], finding["device"]) == ("gpu-memory-grows", "GPU 0")
    assert "256 KiB more of GPU 0 in use with each epoch" in finding["sentence"]
    assert "(95 %: 256 KiB to 256 KiB), 106 MiB at the last" in report["reason"]
    (device,) = report["devices"]
    assert (device["framework"], device["verdict"], device["limit_bytes"]) == ("PyTorch", "leak", 1 << 30)
    room = device["limit_bytes"] - device["in_use_bytes"]
    assert device["growth"]["cycles_left"] == room // (256 << 10)
    probes = {probe["name"]: probe for probe in report["probes"]}
    assert probes["torch_gpu_memory"]["last"] == 106 << 20, "the end of the last epoch, no moment of a step"


@pytest.mark.parametrize("keep", [SWINGS, RESERVES])
def test_swings_and_what_is_reserved_are_no_growth(bench: Bench, keep: str) -> None:
    report = told(bench, keep)
    assert (report["verdict"], report["warnings"], report["findings"]) == ("no_leak", [], [])
    (device,) = report["devices"]
    assert device["verdict"] == "no_leak", device["reason"]
    assert device["reason"].endswith("and that does not grow")
    reserved = [part["sentence"] for part in report["components"] if part["kind"] == "reserved"]
    if keep == RESERVES:
        assert "What it holds rose by" in reserved[0]
        assert reserved[0].endswith("what is in use did not: no leak on the GPU.")
