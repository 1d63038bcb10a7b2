"""`nilometer fix` from outside: a patch is shown with its proof, and written only when that is asked for."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from prove_bench import COMMAND, Bench

LOOP = """\
import time

import nilometer

{before}
for turn in range(60):
    {turn}
    time.sleep(0.01)
    nilometer.cycle()
{after}
"""
KEEPS = LOOP.format(
    before="KEPT = []  # all of them",
    turn="KEPT.append(bytes(200_000))",
    after="print(len(KEPT), time.time())",
)


def fix(bench: Bench, *args: str, code: int = 0) -> dict[str, Any]:
    command = [*COMMAND, "fix", "-o", str(bench.captures), "--format", "json", *args]
    done = subprocess.run(command, cwd=bench.folder, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def verdict(bench: Bench, script: str) -> str:
    """What a run of it says by itself."""
    capture = str(bench.root / "after.nilo")
    subprocess.run([*COMMAND, "run", "-q", "-f", "-o", capture, script], cwd=bench.folder, check=True)
    told = subprocess.run([*COMMAND, "report", capture, "--format", "json"], capture_output=True)
    found: str = json.loads(told.stdout)["verdict"]
    return found


def test_it_is_shown_with_its_proof_and_written_when_asked(bench: Bench) -> None:
    script = bench.script(KEEPS)
    before = bench.hashes()
    found = fix(bench, script)
    assert bench.hashes() == before
    assert (found["answer"], found["fix"]["written"]) == ("fixed", False)
    proof = found["fix"]["proof"]
    assert proof["verdict"] == "cures"
    assert proof["removed"]["low"] > 0.9
    # The time that it prints differs each time; the rest of the line is the same.
    assert found["fix"]["same_lines"] == 1
    patch = (bench.captures / "fix.patch").read_text()
    assert patch == found["fix"]["diff"]
    assert "+    if len(KEPT) > 1:" in patch

    (bench.folder / script).chmod(0o754)
    assert fix(bench, "--write", script)["fix"]["written"]
    text = (bench.folder / script).read_text()
    assert text == KEEPS.replace(
        "200_000))\n",
        "200_000))\n    if len(KEPT) > 1:\n        KEPT[-2] = None  # older ones are never read\n",
    )
    assert (bench.folder / script).stat().st_mode & 0o777 == 0o754
    assert verdict(bench, script) == "no_leak"
    assert [path.name for path in bench.folder.iterdir()] == [script]


def test_two_leaks_in_two_files_are_one_patch(bench: Bench) -> None:
    bench.script("class Store:\n    def __init__(self):\n        self.kept = {}\n", "store.py")
    script = bench.script(
        LOOP.format(
            before="from store import Store\n\nstore = Store()\nBIG = []",
            turn="BIG.append(bytes(200_000)); store.kept[turn] = bytes(100_000)",
            after="print(len(BIG), sorted(store.kept)[:3])",
        ).replace("; ", "\n    ")
    )
    found = fix(bench, "--write", script)
    assert found["fix"]["fixes"] == ["keeps-what-is-read"] * 2
    assert verdict(bench, script) == "no_leak"


def test_a_patch_with_which_the_program_prints_something_else_is_not_shown(bench: Bench) -> None:
    # Who counts what is alive sees what the patch drops, and no look at the text tells.
    counted = (
        "class Mine(bytes):\n    alive = 0\n\n    def __del__(self):\n        Mine.alive -= 1\n\n\nKEPT = []"
    )
    turn = "Mine.alive += 1\n    KEPT.append(Mine(200_000))"
    text = LOOP.format(before=counted, turn=turn, after="print(Mine.alive)")
    script = bench.script(text)
    found = fix(bench, "--write", script, code=1)
    assert (found["answer"], found["fix"]) == ("no_fix", None)
    (tried,) = found["tried"]
    assert "where it printed “60”" in tried["why"]
    assert (bench.folder / script).read_text() == text


def test_what_is_needed_stays(bench: Bench) -> None:
    script = bench.script(KEEPS.replace("print(len(KEPT)", "print(len(b''.join(KEPT))"))
    found = fix(bench, script, code=1)
    assert found["tried"] == []
    assert any("b''.join(KEPT)" in one["why"] for one in found["refused"])


def test_an_innocent_program_is_run_once(bench: Bench) -> None:
    script = bench.script(LOOP.format(before="", turn="pass", after=""))
    found = fix(bench, "--write", script)
    assert (found["answer"], found["tried"], found["refused"]) == ("nothing_to_fix", [], [])
    assert len(list(bench.captures.glob("*.nilo"))) == 1


HEAD = """\
import os
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
import keras
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(1)
x, y = np.random.rand(64, 8), np.random.rand(64, 1)


def build():
    model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(1)])
    model.compile("adam", "mse")
    return model


"""
CALLBACK = """\
class Keeps(keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.saved = []

    def on_epoch_end(self, epoch, logs=None):
        self.saved.append(np.ones(250_000) * epoch)


keeps = Keeps()
build().fit(x, y, epochs=20, callbacks=[keeps], verbose=0)
print(len(keeps.saved), np.mean([kept.mean() for kept in keeps.saved]))
"""
LOSSES = """\
@tf.function
def loss(values):
    return tf.reduce_mean(tf.square(values))


values = tf.fill((8,), 0.3)
losses = []
for step in range(5_000):
    losses.append(loss(values))
print(f"{losses[-1]:.3f} {np.mean(losses[-3:]):.3f}")
"""
SCALARS = """\
@tf.function
def scaled(values, factor):
    return tf.reduce_sum(values * factor)


values = tf.ones((8,))
total = 0.0
for step in range(60):
    total += float(scaled(values, step * 0.5))
print(f"{total:.2f}")
"""
MODELS = """\
best = 10.0
for turn in range(24):
    model = build()
    history = model.fit(x, y, epochs=1, verbose=0)
    best = min(best, history.history["loss"][-1])
print(f"{best:.5f}")
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "name"),
    [
        (CALLBACK, "keeps-what-is-read"),
        (LOSSES, "floats"),
        (SCALARS, "tensor-argument"),
        (MODELS, "one-model"),
    ],
    ids=["callback", "losses", "scalars", "models"],
)
def test_the_four_end_the_growth_and_keep_what_is_printed(bench: Bench, text: str, name: str) -> None:
    script = bench.script(HEAD + text)
    found = fix(bench, "--write", script)
    assert found["fix"]["fixes"] == [name]
    assert found["fix"]["same_lines"] == 1
    assert found["fix"]["proof"]["removed"]["low"] > 0.9
    patched = Path(bench.folder / script).read_text()
    assert set((HEAD + text).splitlines()) - set(patched.splitlines()) == set(_changed(text, patched))


def _changed(text: str, patched: str) -> list[str]:
    """Lines of the program that the patch changes: two at most."""
    gone = [line for line in text.splitlines() if line not in patched.splitlines()]
    assert len(gone) <= 2
    return gone
