"""A stateful LSTM fitted epoch by epoch, its state reset between fits, as the classic recipe has it."""

import argparse

import keras
import numpy as np

BATCH, STEPS = 20, 10

parser = argparse.ArgumentParser()
parser.add_argument("--fits", type=int, default=60)
args = parser.parse_args()

keras.utils.set_random_seed(10)
rng = np.random.default_rng(10)
series = np.sin(np.linspace(0, 60, 200 * STEPS + 1)) + 0.05 * rng.standard_normal(200 * STEPS + 1)
x = series[:-1].reshape(200, STEPS, 1).astype("float32")
y = series[STEPS::STEPS].reshape(200, 1).astype("float32")

lstm = keras.layers.LSTM(16, stateful=True)
model = keras.Sequential([keras.layers.Input(batch_shape=(BATCH, STEPS, 1)), lstm, keras.layers.Dense(1)])
model.compile(optimizer="adam", loss="mse")

for _ in range(args.fits):
    history = model.fit(x, y, batch_size=BATCH, epochs=1, shuffle=False, verbose=0)
    lstm.reset_state()
print(f"loss after {args.fits} fits: {history.history['loss'][-1]:.3f}")
