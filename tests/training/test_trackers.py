"""MLflow with a store of its own and W&B offline: metrics, the verdict, the page. `make` installs neither.

To run it by hand: `pip install mlflow-skinny wandb` into another environment that has Keras, then
`python -m pytest tests/training/test_trackers.py` there.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from training_runner import Ran

PROGRAM = """
import json, os, warnings
warnings.simplefilter("ignore")
import keras
import numpy as np
import nilometer.keras

x = np.random.rand(64, 8).astype("float32")
model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(1)])
model.compile("sgd", "mse")
kept = []

class Keeps(keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        kept.append(np.ones(250_000))

def fit(*callbacks):
    model.fit(x, x[:, :1], epochs=12, verbose=0, callbacks=[*callbacks, Keeps()])
"""


def test_mlflow_gets_metrics_a_tag_and_the_page(run: Callable[..., Ran], tmp_path: Path) -> None:
    pytest.importorskip("mlflow")
    ran = run(
        PROGRAM
        + """
import mlflow
mlflow.set_tracking_uri("file:" + os.path.abspath("store"))
memory = lambda **more: nilometer.keras.Memory(quiet=True, check_every=11, log_to="mlflow", **more)
with mlflow.start_run() as own:
    fit(memory(log=False))
# The framework's logs have them, and whoever logs the loss logs them, too: once.
with mlflow.start_run() as by_callback:
    class Logs(keras.callbacks.Callback):
        def on_epoch_end(self, epoch, logs=None):
            mlflow.log_metrics(logs, step=epoch)
    fit(memory(), Logs())
# Nothing runs: nothing begins.
fit(memory())
client = mlflow.MlflowClient()
told = []
for each in (own, by_callback):
    run_id = each.info.run_id
    steps = lambda name: [metric.step for metric in client.get_metric_history(run_id, name)]
    told.append([steps("nilometer/live_mib"), steps("nilometer/growth_mib_per_epoch"),
                 client.get_run(run_id).data.tags.get("nilometer.verdict"),
                 [entry.path for entry in client.list_artifacts(run_id, "nilometer")]])
print(json.dumps([told, len(client.search_runs(["0"]))]))
""",
        MLFLOW_ALLOW_FILE_STORE="true",
    )
    (own, by_callback), count = ran.told
    assert own == [list(range(12)), [10, 11], "leak", ["nilometer/nilometer.html"]]
    assert by_callback == [list(range(12)), list(range(12)), "leak", ["nilometer/nilometer.html"]]
    assert count == 2
    page = next(tmp_path.rglob("nilometer.html")).read_text(encoding="utf-8")
    assert "train.py" in page


def test_wandb_gets_metrics_the_verdict_and_the_page(run: Callable[..., Ran], tmp_path: Path) -> None:
    pytest.importorskip("wandb")
    ran = run(
        PROGRAM
        + """
import wandb
run = wandb.init(project="p", mode="offline", settings=wandb.Settings(silent=True))
fit(nilometer.keras.Memory(quiet=True, check_every=11, log=False, log_to="wandb"))
summary = {name: run.summary.get(name) for name in ("nilometer/verdict", "nilometer/live_mib", "epoch")}
steps = run.step
run.finish()
fit(nilometer.keras.Memory(quiet=True, log_to="wandb"))
print(json.dumps([summary, steps, wandb.run is None]))
""",
        WANDB_MODE="offline",
    )
    summary, steps, has_ended = ran.told
    assert (summary["nilometer/verdict"], summary["epoch"]) == ("leak", 11)
    assert summary["nilometer/live_mib"] > 10
    assert steps == 12
    assert has_ended
    assert any("report" in path.name and path.suffix == ".html" for path in tmp_path.rglob("*"))
