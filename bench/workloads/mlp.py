"""The MLP: many small steps, so what a tool does per step and per epoch shows."""

import sys
import time

import keras
import numpy as np

keras.utils.set_random_seed(1)
rng = np.random.default_rng(1)
x = rng.random((10_000, 200))
y = (x[:, :20].sum(axis=1) > 10).astype("float64")

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
model.compile(optimizer="adam", loss="binary_crossentropy")
began = time.process_time()
model.fit(
    x, y, batch_size=64, epochs=int(sys.argv[1]) if len(sys.argv) > 1 else 12, validation_split=0.1, verbose=0
)
print(f"training {time.process_time() - began:.3f}")
