"""Plans of real trainings: the exact parts by arithmetic, refusals, and nothing of the user's changed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from prove_bench import Bench

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "plan.schema.json").read_text())
GIB = 1 << 30

TRAINS = """
import keras
import numpy as np

print("a word of the program's")
x, y = np.random.rand(800, 100), np.random.rand(800, 1).astype("float32")
model = keras.Sequential([keras.Input((100,)), keras.layers.Dense(1000), keras.layers.Dense(1)])
model.compile("adam", "mse")
model.fit({fit})
model.save_weights("end.weights.h5")
"""
ARRAYS = "x, y, batch_size=64, epochs=400, validation_split=0.25, verbose=0"
GENERATOR = "(lambda: (yield from iter([(x[:8], y[:8])] * 4)))(), verbose=0"
# Dense(1000) on 100 inputs, Dense(1) on 1000, each with a bias.
WEIGHTS = 4 * (100 * 1000 + 1000 + 1000 + 1)


def exact(plan: dict[str, Any]) -> dict[str, int]:
    return {part["name"]: part["bytes"] for part in plan["parts"] if part["exact"]}


@pytest.mark.slow
def test_a_training_is_planned_from_small_runs_and_the_whole_batch(bench: Bench) -> None:
    script = bench.script(TRAINS.format(fit=ARRAYS))
    before = bench.hashes()
    out, err = bench.plan("--format", "json", "--limit", "64G", script)
    plan = json.loads(out)
    jsonschema.validate(plan, SCHEMA)
    assert bench.hashes() == before
    assert "a word of the program's" not in out + err
    assert "a word of the program's" in (bench.captures / "8-batch-by-8.log").read_text()
    assert (plan["answer"], plan["batch"], plan["largest_batch"]) == ("fits", 64, 64)
    assert [point["batch"] for point in plan["points"]] == [8, 16, 32, 64]
    assert all(3 <= point["steps"] <= 24 for point in plan["points"])
    assert exact(plan)["weights"] == exact(plan)["gradients"] == WEIGHTS
    # Two slots per weight, and the count of steps and the learning rate.
    assert 0 <= exact(plan)["optimizer"] - 2 * WEIGHTS <= 16
    assert exact(plan)["data copies"] == 4 * 800 * 101
    peak = plan["peak"]
    assert peak["low"] <= peak["estimate"] <= peak["high"]
    assert sum(part["bytes"] for part in plan["parts"]) == pytest.approx(peak["estimate"], rel=0.01)
    # Python with a framework, and no more than that.
    assert GIB // 8 < peak["estimate"] < 4 * GIB


@pytest.mark.slow
def test_data_that_come_batched_are_refused(bench: Bench) -> None:
    plan = bench.planned(bench.script(TRAINS.format(fit=GENERATOR)), code=1)
    jsonschema.validate(plan, SCHEMA)
    assert (plan["answer"], plan["peak"], len(plan["points"])) == ("refused", None, 1)
    assert "a generator" in plan["refusal"]["reason"]
    assert exact(plan)["weights"] == WEIGHTS


@pytest.mark.slow
def test_exact_parts_need_one_run(bench: Bench) -> None:
    plan = bench.planned("--static", bench.script(TRAINS.format(fit=ARRAYS)))
    jsonschema.validate(plan, SCHEMA)
    assert (plan["answer"], plan["peak"], len(plan["points"])) == ("static", None, 1)
    assert exact(plan)["weights"] == WEIGHTS
    assert plan["points"][0]["steps"] <= 24


@pytest.mark.slow
def test_a_batch_that_never_occurs_is_refused(bench: Bench) -> None:
    plan = bench.planned("--batch", "4096", bench.script(TRAINS.format(fit=ARRAYS)), code=1)
    assert plan["sentence"] == "the data have 600 samples, so no batch has 4096"
    assert plan["refusal"]["advice"] == "plan for a batch that occurs: --batch 600"


def test_a_program_without_fit_is_refused(bench: Bench) -> None:
    out, _ = bench.plan(bench.script("print('no training')"), code=1)
    assert "NO PLAN  no `fit` of Keras came to its end." in out
    plan = bench.planned(bench.script("pass"), code=1)
    jsonschema.validate(plan, SCHEMA)
    assert (plan["answer"], plan["parts"], plan["batch"]) == ("refused", [], None)


def test_a_program_that_fails_is_an_error(bench: Bench) -> None:
    _, err = bench.plan(bench.script("raise SystemExit(3)"), code=2)
    assert "the program ended with exit code 3 before a `fit` came to its end" in err
    assert "batch-by-8.log" in err


def test_what_a_program_wants_to_write_elsewhere_is_named(bench: Bench) -> None:
    _, err = bench.plan(bench.script(f"open({str(bench.root / 'x')!r}, 'w')"), code=2)
    assert f"the program tried to write {bench.root / 'x'}" in err
    assert not (bench.root / "x").exists()


def test_no_program_is_a_mistake(bench: Bench) -> None:
    _, err = bench.plan(code=2)
    assert "there is no program to plan" in err
