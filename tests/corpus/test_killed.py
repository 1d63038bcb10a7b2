"""A fit that is killed by `kill -9`: every epoch whose end the program has told is in the capture."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from test_corpus import python, text_of

pytestmark = pytest.mark.slow

FIT = """
import keras
import numpy as np

class Tells(keras.callbacks.Callback):
    def on_epoch_begin(self, epoch, logs=None):
        print(epoch, flush=True)  # as many epochs have ended, their marks included

model = keras.Sequential([keras.layers.Input((8,)), keras.layers.Dense(4), keras.layers.Dense(1)])
model.compile("sgd", "mse")
import os
print("pid", os.getpid(), flush=True)
model.fit(np.zeros((64, 8)), np.zeros((64, 1)), epochs=10_000, verbose=0, callbacks=[Tells()])
"""


@pytest.mark.parametrize("epochs", [1, 9, 60])
def test_killed(epochs: int, tmp_path: Path) -> None:
    (tmp_path / "fit.py").write_text(FIT)
    command = [sys.executable, "-m", "nilometer", "run", "-o", "x.nilo", "fit.py"]
    env = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
    program = subprocess.Popen(
        command, cwd=tmp_path, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert program.stdout is not None
    pid = int(program.stdout.readline().split()[1])
    while int(program.stdout.readline()) < epochs:
        pass
    os.kill(pid, signal.SIGKILL)
    rest, screen = program.communicate(timeout=60)
    told = max([epochs, *map(int, rest.split())])
    assert program.returncode == -signal.SIGKILL
    assert "ended by signal 9 (SIGKILL)" in screen

    report = python("-m", "nilometer", "report", "x.nilo", "--format", "json", cwd=tmp_path)
    assert report.returncode == 0, text_of(report)
    said = json.loads(report.stdout)
    assert said["cycles"]["unit"] == "epoch"
    assert told <= said["cycles"]["count"] <= told + 1
    assert said["losses"] == []
    assert said["program"]["exit"] == {"code": None, "signal": 9, "oom_killed": False, "limit": None}
