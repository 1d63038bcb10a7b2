"""The MLP with dropout again, trained by a loop of its own: one traced step, one GradientTape per batch."""

import argparse

import keras
import numpy as np
import tensorflow as tf

BATCH = 64

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=16)
args = parser.parse_args()

keras.utils.set_random_seed(3)
rng = np.random.default_rng(3)
x = rng.random((10_000, 200)).astype("float32")
y = (x[:, :20].sum(axis=1) > 10).astype("float32").reshape(-1, 1)

model = keras.Sequential(
    [
        keras.layers.Input((200,)),
        keras.layers.Dense(512, activation="relu"),
        keras.layers.Dropout(0.3),
        keras.layers.Dense(256, activation="relu"),
        keras.layers.Dropout(0.3),
        keras.layers.Dense(1, activation="sigmoid"),
    ]
)
optimizer = keras.optimizers.Adam()
loss_of = keras.losses.BinaryCrossentropy()


@tf.function
def train_step(xb, yb):
    with tf.GradientTape() as tape:
        loss = loss_of(yb, model(xb, training=True))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
    return loss


for epoch in range(args.epochs):
    order = rng.permutation(len(x))
    total = 0.0
    batches = 0
    for start in range(0, len(x) - BATCH + 1, BATCH):
        rows = order[start : start + BATCH]
        total += float(train_step(tf.constant(x[rows]), tf.constant(y[rows])))
        batches += 1
    print(f"epoch {epoch + 1}: loss {total / batches:.3f}")
