"""`Memory` of Lightning and of transformers, where they are installed; `make` does not."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from training_runner import Ran

MODULE = """
import copy, json, os, pickle, sys, warnings
warnings.simplefilter("ignore")
import torch
kept = []
"""


@pytest.mark.parametrize("package", ["lightning.pytorch", "pytorch_lightning"])
def test_lightning_logs_and_stops(run: Callable[..., Ran], package: str) -> None:
    pytest.importorskip(package)
    ran = run(
        MODULE
        + f"""
import {package} as pl
from {package}.loggers import CSVLogger
import nilometer.lightning
class Module(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(8, 1)
    def training_step(self, batch, index):
        return self.layer(batch[0]).mean()
    def on_train_epoch_end(self):
        kept.append(bytearray(2 << 20))
    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.01)
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.rand(16, 8)), batch_size=4)
memory = nilometer.lightning.Memory("stop", check_every=10)
trainer = pl.Trainer(max_epochs=30, logger=CSVLogger("logs"), callbacks=[memory], accelerator="cpu",
                     enable_progress_bar=False, enable_checkpointing=False, log_every_n_steps=4)
trainer.fit(Module(), loader)
columns = open(os.path.join(trainer.logger.log_dir, "metrics.csv")).readline()
copies = [copy.deepcopy(memory), pickle.loads(pickle.dumps(memory))]
class Breaks(pl.Callback):
    def on_train_epoch_end(self, trainer, module):
        raise ValueError("broken")
broken = nilometer.lightning.Memory(quiet=True)
try:
    pl.Trainer(max_epochs=3, logger=False, callbacks=[broken, Breaks()], accelerator="cpu",
               enable_progress_bar=False, enable_checkpointing=False).fit(Module(), loader)
except ValueError:
    pass
from nilometer import _native
print(json.dumps([trainer.current_epoch, memory.report.verdict, memory.report.cycles.kind,
                  memory.report.cycles.count, "nilometer/live_mib" in columns,
                  all(isinstance(each, pl.Callback) for each in copies), _native.is_recording()]))
"""
    )
    assert ran.told == [10, "leak", "epoch", 10, True, True, False]
    assert ran.stdout.count("LEAK  +2") == 1


def test_transformers_logs_and_stops(run: Callable[..., Ran]) -> None:
    pytest.importorskip("transformers")
    ran = run(
        MODULE
        + """
from transformers import Trainer, TrainerCallback, TrainingArguments
import nilometer.transformers
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(8, 1)
    def forward(self, x=None, labels=None):
        return {"loss": self.layer(x).mean()}
class Keeps(TrainerCallback):
    def on_epoch_end(self, *args, **kwargs):
        kept.append(bytearray(2 << 20))
memory = nilometer.transformers.Memory("stop", check_every=10)
arguments = TrainingArguments("out", num_train_epochs=30, report_to=[], logging_strategy="epoch",
                              save_strategy="no", use_cpu=True, disable_tqdm=True)
dataset = [{"x": torch.rand(8), "labels": 0.0} for _ in range(32)]
trainer = Trainer(Model(), arguments, train_dataset=dataset, callbacks=[memory, Keeps()])
trainer.train()
entry = trainer.state.log_history[-1]
copies = [copy.deepcopy(memory), pickle.loads(pickle.dumps(memory))]
print(json.dumps([trainer.state.epoch, memory.report.verdict, memory.report.cycles.kind,
                  memory.report.cycles.count, entry["nilometer/growth_mib_per_epoch"],
                  all(isinstance(each, TrainerCallback) for each in copies)]))
"""
    )
    epochs, verdict, kind, count, growth, are_callbacks = ran.told
    assert (epochs, verdict, kind, count, are_callbacks) == (10, "leak", "epoch", 10, True)
    assert growth == pytest.approx(2, rel=0.2)
    assert ran.stdout.count("LEAK  +") == 1
