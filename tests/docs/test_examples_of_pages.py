"""Every example of docs/python.md and docs/callbacks.md runs. Names that it does not make are stand-ins."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"^```python ?(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# No word of TensorFlow's; and files for MLflow, since `mlflow-skinny` has no other store.
QUIETLY = {"MLFLOW_ALLOW_FILE_STORE": "true", "TF_CPP_MIN_LOG_LEVEL": "3"}
PATIENCE = 240  # seconds until a hang is called one

# What the reader of a page has already, by the word behind ```python.
HAS = {
    "python.md": """
import nilometer
kept = []
def train_one_epoch():
    kept.append(bytearray(1 << 20))
    nilometer.cycle()
def load_batch():
    return bytearray(1 << 16)
with nilometer.start("train.nilo"):
    for _ in range(20):
        train_one_epoch()
""",
    "": """
import warnings
warnings.simplefilter("ignore")
import keras
import numpy as np
x = np.zeros((8, 2), "float32")
y = np.zeros((8, 1), "float32")
model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
model.compile("sgd", "mse")
""",
    "lightning": """
import torch
from lightning.pytorch import LightningModule, Trainer
class Module(LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 1)
    def training_step(self, batch, index):
        return self.layer(batch[0]).mean()
    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)
module = Module()
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.zeros(8, 2)), batch_size=4)
""",
    "transformers": """
import torch
from transformers import Trainer, TrainingArguments
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 1)
    def forward(self, x=None, labels=None):
        return {"loss": self.layer(x).mean()}
model = Model()
dataset = [{"x": torch.zeros(2), "labels": 0.0}] * 8
arguments = TrainingArguments("out", num_train_epochs=20, report_to=[], save_strategy="no", use_cpu=True)
""",
}
HAS["mlflow"] = HAS[""]


def run(folder: Path, program: str) -> str:
    (folder / "example.py").write_text(program, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "example.py"],
        cwd=folder,
        capture_output=True,
        timeout=PATIENCE,
        text=True,
        env={**os.environ, **QUIETLY, "MLFLOW_TRACKING_URI": (folder / "store").as_uri()},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def blocks(page: str, needs: str = "") -> str:
    """The page's examples that need this package, one after the other."""
    found = BLOCK.findall((DOCS / page).read_text(encoding="utf-8"))
    return "\n".join(text for package, text in found if package == needs)


def test_every_example_of_python_runs(tmp_path: Path) -> None:
    said = run(tmp_path, HAS["python.md"] + blocks("python.md"))
    assert said.count("LEAK  +1") == 2  # the program's own report, and that of the capture it reads
    assert "MiB per step, at least" in said
    assert "kept_at example.py:" in said


def test_every_example_of_keras_runs(tmp_path: Path) -> None:
    examples = blocks("callbacks.md")
    said = run(tmp_path, HAS[""] + examples)
    assert said.count("nilometer  example.py: 20 epochs") == examples.count("model.fit(") == 3


@pytest.mark.parametrize("package", ["lightning", "transformers", "mlflow"])
def test_every_example_of_a_package_runs_where_it_is_installed(package: str, tmp_path: Path) -> None:
    examples = blocks("callbacks.md", package)
    assert "Memory(" in examples
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed")
    assert "nilometer  example.py: 20 epochs" in run(tmp_path, HAS[package] + examples)


def test_no_example_is_forgotten() -> None:
    words = {
        package
        for page in ("python.md", "callbacks.md")
        for package, _ in BLOCK.findall((DOCS / page).read_text())
    }
    assert words <= set(HAS)
