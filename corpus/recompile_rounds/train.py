"""Fine-tuning in rounds with a falling learning rate; each round compiles the model again."""

import sys

import keras
import numpy as np

ROUNDS = 14
fixed = "--fixed" in sys.argv[1:]

keras.utils.set_random_seed(114)
rng = np.random.default_rng(114)
x = rng.normal(size=(400, 25)).astype("float32")
y = (x[:, 0] > 0).astype("float32")

base = keras.Sequential([keras.Input((25,)), keras.layers.Dense(16, activation="relu", name="base")])
model = keras.Sequential([base, keras.layers.Dense(1, activation="sigmoid")])

for r in range(ROUNDS):
    rate = 0.1 / (1 + r)
    if r == 0 or not fixed:
        model.compile(optimizer=keras.optimizers.SGD(rate), loss="binary_crossentropy", metrics=["accuracy"])
    else:
        model.optimizer.learning_rate = rate
    h = model.fit(x, y, epochs=2, batch_size=40, verbose=0)
    print(f"round {r}: accuracy above a half: {h.history['accuracy'][-1] > 0.5}")
