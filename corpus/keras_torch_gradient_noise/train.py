"""An own training loop for Keras on PyTorch that tells how noisy the gradients of single batches are."""

import os
import sys

os.environ["KERAS_BACKEND"] = "torch"

import keras
import numpy as np
import torch

EPOCHS, BATCH = 26, 32


class GradientNoise:
    """Ratio of the variance of gradients to the square of their mean, over the whole training."""

    def __init__(self):
        self.samples = []

    def add(self, gradients):
        self.samples.append(torch.cat([gradient.flatten() for gradient in gradients]))

    def ratio(self):
        samples = torch.stack(self.samples[-100:])
        return (samples.var(dim=0).sum() / (samples.mean(dim=0) ** 2).sum()).item()


class RunningGradientNoise(GradientNoise):
    """The same from a sum and a sum of squares."""

    def __init__(self):
        self.count, self.sum, self.squares = 0, 0.0, 0.0

    def add(self, gradients):
        flat = torch.cat([gradient.flatten() for gradient in gradients])
        self.count += 1
        self.sum = self.sum + flat
        self.squares = self.squares + flat**2

    def ratio(self):
        mean = self.sum / self.count
        return ((self.squares / self.count - mean**2).sum() / (mean**2).sum()).item()


def batches(x, y, rng):
    order = rng.permutation(len(x))
    for start in range(0, len(x), BATCH):
        chosen = order[start : start + BATCH]
        yield torch.from_numpy(x[chosen]), torch.from_numpy(y[chosen])


keras.utils.set_random_seed(312)
torch.set_num_threads(1)
rng = np.random.default_rng(312)
x = rng.normal(size=(3200, 30)).astype("float32")
y = (x[:, :1] * x[:, 1:2] + 0.1 * rng.normal(size=(len(x), 1))).astype("float32")

model = keras.Sequential(
    [
        keras.Input((30,)),
        keras.layers.Dense(64, activation="silu"),
        keras.layers.Dense(64, activation="silu"),
        keras.layers.Dense(1),
    ]
)
optimizer = keras.optimizers.SGD(learning_rate=0.05, momentum=0.9)
loss_of = keras.losses.MeanSquaredError()
noise = RunningGradientNoise() if "--fixed" in sys.argv else GradientNoise()

for epoch in range(EPOCHS):
    losses = []
    for number, (inputs, targets) in enumerate(batches(x, y, rng)):
        loss = loss_of(targets, model(inputs, training=True))
        model.zero_grad()
        loss.backward()
        weights = model.trainable_weights
        gradients = [weight.value.grad for weight in weights]
        if number % 5 == 0:
            noise.add(gradients)
        with torch.no_grad():
            optimizer.apply(gradients, weights)
        losses.append(loss.item())
    print(f"epoch {epoch + 1}: loss {np.mean(losses):.4f}, noise {noise.ratio():.1f}", flush=True)
