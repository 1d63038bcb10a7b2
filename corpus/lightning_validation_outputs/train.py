"""A LightningModule that gathers what it said in validation, for a score over all batches at once."""

import argparse
import logging
import warnings

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
warnings.filterwarnings("ignore")


class Ranker(L.LightningModule):
    def __init__(self, clears: bool) -> None:
        super().__init__()
        self.clears = clears
        self.layers = nn.Sequential(nn.Linear(24, 64), nn.ReLU(), nn.Linear(64, 50))
        self.validation_outputs = []

    def training_step(self, batch, batch_idx):
        x, y = batch
        return nn.functional.cross_entropy(self.layers(x), y)

    def validation_step(self, batch, batch_idx):
        x, y = batch
        logits = self.layers(x)
        self.validation_outputs.append({"logits": logits, "labels": y})

    def on_validation_epoch_end(self):
        logits = torch.cat([output["logits"] for output in self.validation_outputs[-10:]])
        labels = torch.cat([output["labels"] for output in self.validation_outputs[-10:]])
        ranks = (logits > logits.gather(1, labels[:, None])).sum(dim=1)
        print(f"epoch {self.current_epoch}: mean rank {ranks.float().mean():.3f}", flush=True)
        if self.clears:
            self.validation_outputs.clear()

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=2e-3)


def loader(count: int, batch: int) -> DataLoader:
    x = torch.randn(count, 24)
    ranks = (x[:, :5].sum(dim=1) * 6).long().clamp(-25, 24) + 25
    return DataLoader(TensorDataset(x, ranks), batch_size=batch)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=24)
    parser.add_argument("--fixed", action="store_true", help="clears the outputs after each validation")
    args = parser.parse_args()
    L.seed_everything(70, verbose=False)
    torch.set_num_threads(1)
    trainer = L.Trainer(
        max_epochs=args.epochs, accelerator="cpu", logger=False, enable_checkpointing=False,
        enable_progress_bar=False, enable_model_summary=False, num_sanity_val_steps=0,
    )  # fmt: skip
    trainer.fit(Ranker(args.fixed), loader(4000, 50), loader(2000, 200))
