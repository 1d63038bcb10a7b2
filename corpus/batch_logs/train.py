import sys
from collections import defaultdict

import keras
import numpy as np
from keras.callbacks import Callback

# notebook: why is this run so noisy?

N_EPOCHS = 14
KEEP_BATCHES = "--fixed" not in sys.argv  # set to False when the plots are done
keras.utils.set_random_seed(145)
rng = np.random.default_rng(145)
X = rng.normal(size=(12_800, 4))
Y = np.sign(X[:, 0] * X[:, 1])


class BatchLogs(Callback):
    everything = []  # noqa: RUF012
    by_name = defaultdict(list)  # noqa: RUF012

    def on_train_batch_end(self, batch, logs=None):
        entry = {"batch": batch, "time": f"{batch:012d}", **{k: float(v) for k, v in (logs or {}).items()}}
        if KEEP_BATCHES or batch == 0:
            self.everything.append(entry)

    def on_epoch_end(self, epoch, logs=None):
        for name, value in logs.items():
            self.by_name[name].append(float(value))


model = keras.models.Sequential()
model.add(keras.layers.Input(shape=(4,)))
model.add(keras.layers.Dense(12, activation="tanh"))
model.add(keras.layers.Dense(1, activation="tanh"))
model.compile(loss="mse", optimizer="sgd", metrics=["mae"])

model.fit(X, Y, batch_size=16, epochs=N_EPOCHS, verbose=0, callbacks=[BatchLogs()])

print(len(BatchLogs.everything), "entries;", sorted(BatchLogs.by_name))
