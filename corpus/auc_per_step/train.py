"""A loop of one's own that makes a new AUC metric in every step instead of resetting one."""

import argparse

import keras
import numpy as np

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=200)
parser.add_argument("--reset", action="store_true", help="the mended twin: one metric, reset in every step")
args = parser.parse_args()

keras.utils.set_random_seed(14)
rng = np.random.default_rng(14)
x = rng.random((256, 20)).astype("float32")
y = (x.sum(axis=1) > 10).astype("float32").reshape(-1, 1)

model = keras.Sequential([keras.layers.Input((20,)), keras.layers.Dense(1, activation="sigmoid")])
model.compile(optimizer="adam", loss="binary_crossentropy")
auc = keras.metrics.AUC()

for _ in range(args.steps):
    model.train_on_batch(x, y)
    if args.reset:
        auc.reset_state()
    else:
        auc = keras.metrics.AUC()
    auc.update_state(y, model.predict_on_batch(x))
print(f"AUC {float(auc.result()):.3f}")
