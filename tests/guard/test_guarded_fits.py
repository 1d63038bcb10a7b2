"""A real training under the guard: stopped before the limit, it goes on as if it had never been stopped."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from guard_runner import Run

EPOCHS = 12
LEAKS = """
import sys
import keras
import numpy as np

keras.utils.set_random_seed(7)


class Keeps(keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.saved = []

    def on_epoch_end(self, epoch, logs=None):
        self.saved.append(np.ones(KEPT))


x = np.random.normal(size=(256, 20)).astype("float32")
y = (x.sum(axis=1, keepdims=True) > 0).astype("float32")
layers = [keras.layers.Dense(32, activation="relu"), keras.layers.Dropout(0.3), keras.layers.Dense(1)]
model = keras.Sequential([keras.layers.Input((20,)), *layers])
model.compile("adam", "mse")
extra = [keras.callbacks.BackupAndRestore("backup")] if BACKUP else []
stock = [
    keras.callbacks.EarlyStopping("loss", patience=9),
    keras.callbacks.ReduceLROnPlateau("loss", patience=2, min_delta=0.02),
    keras.callbacks.CSVLogger("log.csv"),
]
try:
    history = model.fit(x, y, epochs=EPOCHS, verbose=0, callbacks=[Keeps(), *stock, *extra])
except Exception:
    print("caught")
import json, os
print(json.dumps([history.epoch, history.history, [stock[0].wait, stock[0].best], os.path.exists("backup")]))
"""


def program(kept_mib: int, backup: bool = False) -> str:
    text = LEAKS.replace("EPOCHS", str(EPOCHS)).replace("KEPT", str(kept_mib << 17))
    return text.replace("BACKUP", str(backup))


@pytest.mark.parametrize("backup", [False, True])
def test_it_goes_on_as_if_never_stopped(run: Run, tmp_path: Path, backup: bool) -> None:
    healthy = run(program(0, backup))
    assert healthy.returncode == 0, healthy.stderr[-3000:]
    assert "safe" not in healthy.stderr
    log = (tmp_path / "log.csv").read_text()
    # Some 330 MiB without what is kept.
    stopped = run(program(20, backup), "--limit", "510M", "--resume", "saved")
    assert stopped.returncode == 75, stopped.stderr[-3000:]
    assert stopped.stdout == ""
    assert "Keeps" in stopped.stderr.split("leaks", 1)[1]
    said = json.loads((tmp_path / "saved/guard.json").read_text())
    assert 2 < said["epoch"] < EPOCHS
    assert said["weights"] == ("backup" if backup else "own")
    assert (tmp_path / "backup").exists() == backup
    resumed = run(program(20, backup), "--limit", "4G", "--resume", "saved")
    assert resumed.returncode == 0, resumed.stderr[-3000:]
    assert f"training goes on after epoch {said['epoch']}," in resumed.stderr
    assert "begin anew: Keeps" in resumed.stderr
    assert json.loads(resumed.stdout) == json.loads(healthy.stdout)
    assert (tmp_path / "log.csv").read_text() == log
    assert not (tmp_path / "saved").exists()
