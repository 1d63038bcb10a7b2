"""The search over learning rates with the usual advice taken: clear_session() before every model."""

import argparse

import keras
import numpy as np

parser = argparse.ArgumentParser()
parser.add_argument("--models", type=int, default=24)
args = parser.parse_args()

keras.utils.set_random_seed(9)
rng = np.random.default_rng(9)
x = rng.random((256, 20)).astype("float32")
y = x.sum(axis=1)

best = float("inf")
for rate in np.geomspace(1e-4, 1e-2, args.models):
    keras.backend.clear_session()
    model = keras.Sequential(
        [
            keras.layers.Input((20,)),
            keras.layers.Dense(32, activation="relu"),
            keras.layers.Dense(1),
        ]
    )
    model.compile(optimizer=keras.optimizers.Adam(float(rate)), loss="mse")
    history = model.fit(x, y, batch_size=32, epochs=2, verbose=0)
    best = min(best, history.history["loss"][-1])
print(f"tried {args.models} models, best loss {best:.3f}")
