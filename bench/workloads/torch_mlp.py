"""The MLP as a plain PyTorch loop over a loader: what a tool does per module call and per step shows."""

import sys
import time

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(1)
torch.set_num_threads(1)
x = torch.rand(10_000, 200)
y = (x[:, :20].sum(dim=1) > 10).float().unsqueeze(1)
loader = DataLoader(TensorDataset(x, y), batch_size=64, shuffle=True)

layers = [nn.Linear(200, 512), nn.ReLU(), nn.Dropout(0.3)]
layers += [nn.Linear(512, 256), nn.ReLU(), nn.Dropout(0.3), nn.Linear(256, 1)]
model = nn.Sequential(*layers)
optimizer = torch.optim.Adam(model.parameters())
loss_of = nn.BCEWithLogitsLoss()
began = time.process_time()
for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 12):
    for inputs, wanted in loader:
        optimizer.zero_grad()
        loss = loss_of(model(inputs), wanted)
        loss.backward()
        optimizer.step()
print(f"training {time.process_time() - began:.3f}")
