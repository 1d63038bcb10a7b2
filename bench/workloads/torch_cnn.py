"""A small CNN in PyTorch that two loader workers feed: samples are made in Python, in forked processes."""

import sys
import time

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Images(Dataset):
    """Noise, made when it is asked for."""

    def __len__(self):
        return 2_048

    def __getitem__(self, index):
        generator = torch.Generator().manual_seed(index)
        return torch.rand(3, 32, 32, generator=generator), index % 10


torch.manual_seed(1)
torch.set_num_threads(1)
loader = DataLoader(Images(), batch_size=64, shuffle=True, num_workers=2)
layers = [nn.Conv2d(3, 16, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(16, 32, 3), nn.ReLU(), nn.MaxPool2d(2)]
model = nn.Sequential(*layers, nn.Flatten(), nn.Linear(32 * 6 * 6, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
loss_of = nn.CrossEntropyLoss()
began = time.process_time()
for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 12):
    for images, labels in loader:
        optimizer.zero_grad()
        loss_of(model(images), labels).backward()
        optimizer.step()
print(f"training {time.process_time() - began:.3f}")
