"""A training script that leaks: run it with `nilometer run examples/leaky.py`, or `make demo`.

The model learns to turn 50 numbers into 500. After each epoch a callback predicts 4,000 validation rows, to
plot later how the predictions changed, and keeps the whole array:

    4,000 rows x 500 columns x 4 bytes (float32) = 8,000,000 bytes = 7.63 MiB per epoch

That is the leak, and it is all of it. Entering fit() costs memory too, 2 x 4,000 x (50 + 500) x 4 bytes =
17.6 MB, because Keras copies x and y to float32 twice; the first batch costs some more for graph and kernels.
Both happen once, so they are no leak.
`healthy.py` beside this file is the same script, mended.
"""

import keras
import numpy as np

EPOCHS = 24


class PredictionLogger(keras.callbacks.Callback):
    """Logs the predictions on the validation rows after each epoch."""

    def __init__(self, x_val):
        super().__init__()
        self.x_val = x_val
        self.saved = []

    def on_epoch_end(self, epoch, logs=None):
        predictions = self.model.predict(self.x_val, verbose=0)
        self.saved.append(predictions)  # the leak: every array stays alive until the callback dies


keras.utils.set_random_seed(1)
rng = np.random.default_rng(1)
weights = rng.random((50, 500))
x_train = rng.random((4000, 50))
y_train = x_train @ weights
x_val = rng.random((4000, 50))

model = keras.Sequential(
    [
        keras.layers.Input((50,)),
        keras.layers.Dense(64, activation="relu"),
        keras.layers.Dense(500),
    ]
)
model.compile(optimizer="adam", loss="mse")

logger = PredictionLogger(x_val)
model.fit(x_train, y_train, batch_size=64, epochs=EPOCHS, callbacks=[logger], verbose=2)

kept = sum(array.nbytes for array in logger.saved)
print(f"kept {len(logger.saved)} predictions, {kept} bytes, {kept // EPOCHS} per epoch")
