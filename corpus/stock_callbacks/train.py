"""Training with what Keras itself brings: early stopping, a falling rate, a log file, and a schedule."""

import argparse
import tempfile
from pathlib import Path

import numpy as np
import tensorflow as tf
from tensorflow.keras import callbacks, layers


def callbacks_in(folder):
    return [
        callbacks.EarlyStopping(monitor="val_loss", patience=100, restore_best_weights=True),
        callbacks.ReduceLROnPlateau(monitor="val_loss", factor=0.5, patience=4, min_lr=1e-5),
        callbacks.CSVLogger(folder / "log.csv"),
        callbacks.TerminateOnNaN(),
        callbacks.LearningRateScheduler(lambda epoch, rate: rate * 0.99),
    ]


def data(rng):
    x = rng.normal(size=(800, 60)).astype("float32")
    return x, (x[:, :10].sum(axis=1) > 0).astype("float32")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=30)
    options = parser.parse_args()
    tf.keras.utils.set_random_seed(218)
    x, y = data(np.random.default_rng(218))
    inputs = layers.Input((60,))
    hidden = layers.BatchNormalization()(layers.Dense(200, activation="relu")(inputs))
    model = tf.keras.Model(inputs, layers.Dense(1, activation="sigmoid")(layers.Dropout(0.2)(hidden)))
    model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
    with tempfile.TemporaryDirectory() as folder:
        history = model.fit(
            x,
            y,
            validation_split=0.25,
            epochs=options.epochs,
            verbose=0,
            callbacks=callbacks_in(Path(folder)),
        )
    print(f"{len(history.history['loss'])} epochs, {sorted(history.history)}")


main()
