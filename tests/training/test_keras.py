"""`nilometer.keras.Memory` in real trainings: metrics, verdict, what happens when memory leaks."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable
from pathlib import Path

from training_runner import Ran

MODEL = """
import copy, json, math, pickle, sys, warnings
import keras
import numpy as np
import nilometer
from nilometer.keras import LeakWarning, Memory

x = np.random.rand(64, 8).astype("float32")
model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(1)])
model.compile("sgd", "mse")
kept = []

class Keeps(keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        kept.append(np.ones(250_000))

def fit(*callbacks, epochs=30):
    return model.fit(x, x[:, :1], epochs=epochs, verbose=0, callbacks=list(callbacks))
"""
LIVE, GROWTH = "nilometer/live_mib", "nilometer/growth_mib_per_epoch"


def test_a_leak_is_logged_warned_of_and_stopped(run: Callable[..., Ran], tmp_path: Path) -> None:
    ran = run(
        MODEL
        + """
memory = Memory("stop", check_every=10)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    history = fit(memory, Keeps(), keras.callbacks.CSVLogger("log.csv"))
first = memory.report
got = []
calls = Memory(got.append, check_every=10, quiet=True, log=False)
plain = fit(calls, Keeps(), epochs=22)
hooks_are_out = nilometer._mark_cycle is None
same = keras.callbacks.CallbackList([memory])._async_train == keras.callbacks.CallbackList([])._async_train
batch = ("on_batch_end", "on_train_batch_end", "on_test_batch_end", "on_predict_batch_end")
same = same and all(keras.src.utils.is_default(getattr(memory, name)) for name in batch)
copies = [copy.deepcopy(memory), pickle.loads(pickle.dumps(memory))]
copy.deepcopy(model)
print(json.dumps({
    "epochs": len(history.epoch), "last": history.history["nilometer/growth_mib_per_epoch"][-1],
    "nan": math.isnan(history.history["nilometer/growth_mib_per_epoch"][0]),
    "verdict": first.verdict, "others": [other.kind for other in first.cycles.alternatives],
    "warned": [str(each.message) for each in caught if each.category is LeakWarning],
    "called": [report.verdict for report in got], "plain": [len(plain.epoch), sorted(plain.history)],
    "copies": [isinstance(each, keras.callbacks.Callback) and each._options == memory._options
               and each.report is None and each.model is None for each in copies],
    "is_out": hooks_are_out, "same": same,
}))
"""
    )
    told = ran.told
    assert (told["epochs"], told["verdict"], told["others"]) == (10, "leak", [])
    assert abs(told["last"] - 250_000 * 8 / 2**20) < 0.3
    assert told["nan"]
    assert len(told["warned"]) == 1
    assert "MiB per epoch since epoch" in told["warned"][0]
    assert told["called"] == ["leak"]
    assert told["plain"] == [22, ["loss"]]
    assert told["copies"] == [True, True]
    assert told["is_out"]
    assert told["same"]
    assert ran.stdout.count("LEAK  +") == 1
    with (tmp_path / "log.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {LIVE, GROWTH} <= set(rows[0])
    assert math.isnan(float(rows[0][GROWTH]))
    assert float(rows[-1][LIVE]) > 10
    assert float(rows[-1][GROWTH]) == told["last"]


def test_under_nilometer_run_its_recording_is_used(run: Callable[..., Ran], tmp_path: Path) -> None:
    ran = run(
        MODEL
        + """
import os
memory = Memory(check_every=6)
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    fit(memory, epochs=12)
print(json.dumps([memory.report.cycles.count, sorted(os.listdir())]))
""",
        *("-m", "nilometer", "run", "-q", "-o", "run.nilo"),
    )
    # The report at the end of the twelfth epoch knows of eleven: that epoch is ending.
    assert ran.told == [11, ["run.nilo", "train.py"]]
    assert "nilometer  train.py" not in ran.stdout


def test_a_failure_of_ours_is_one_warning(run: Callable[..., Ran]) -> None:
    ran = run(
        MODEL
        + """
class Broken(Memory):
    pass
from nilometer import _native
def fail():
    raise OSError("no such thing")
_native.read_now, real = fail, _native.read_now
memory = Broken(capture="a.nilo")
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    history = fit(memory, epochs=3)
    fit(Memory(capture="no/such/folder.nilo"), epochs=1)
warnings.simplefilter("error")
fit(Broken(capture="b.nilo"), epochs=2)
print(json.dumps([[str(each.message) for each in caught], len(history.epoch),
                  str(history.history["nilometer/live_mib"]), _native.is_recording()]))
"""
    )
    said, epochs, live, is_recording = ran.told
    assert len(said) == 2
    assert "no such thing" in said[0]
    assert "no/such does not exist" in said[1]
    assert (epochs, live, is_recording) == (3, "[nan, nan, nan]", False)


def test_both_generations_of_keras_take_it(run: Callable[..., Ran]) -> None:
    ran = run(
        """
import json, sys
import nilometer.keras
try:
    nilometer.keras.Memory()
    said = ""
except ImportError as error:
    said = str(error)
early = sorted(name for name in ("keras", "tensorflow", "tf_keras") if name in sys.modules)
import tensorflow as tf
import tf_keras
import keras
counts = []
for package in (tf_keras, keras):
    memory = nilometer.keras.Memory(quiet=True, check_every=3)
    model = package.Sequential([package.layers.Dense(1)])
    model.compile("sgd", "mse")
    history = model.fit(tf.zeros((8, 2)), tf.zeros((8, 1)), epochs=4, verbose=0, callbacks=[memory])
    counts.append([isinstance(memory, package.callbacks.Callback), memory.report.cycles.count,
                   "nilometer/live_mib" in history.history])
print(json.dumps([said, early, counts]))
"""
    )
    said, early, counts = ran.told
    assert "import keras or tf_keras before it is made" in said
    assert early == []
    assert counts == [[True, 4, True]] * 2


def test_a_fit_that_broke_off_leaves_nothing_to_the_next(run: Callable[..., Ran]) -> None:
    ran = run(
        MODEL
        + """
class Breaks(keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        if epoch == 2:
            raise KeyboardInterrupt
try:
    fit(Memory(quiet=True, capture="own.nilo"), Breaks())
except KeyboardInterrupt:
    pass
after = Memory(quiet=True, capture="own.nilo")
fit(after, epochs=5)
from nilometer import _native
from nilometer.hooks import marks
with nilometer.start("third.nilo"):
    scope = marks.thread.scope
print(json.dumps([after.report.cycles.count, _native.is_recording(), scope]))
"""
    )
    # The end of the fifth epoch is told before its `fit` ends.
    assert ran.told == [5, False, ""]
