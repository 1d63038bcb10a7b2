"""A functional model with two inputs and two outputs, early stopping and a learning rate schedule."""

import argparse

import keras
import numpy as np

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=16)
args = parser.parse_args()

keras.utils.set_random_seed(22)
rng = np.random.default_rng(22)
numbers = rng.random((1500, 30)).astype("float32")
kinds = rng.integers(0, 50, (1500, 4))
price = numbers.sum(axis=1, keepdims=True)
sold = (price > 15).astype("float32")

number_input = keras.Input((30,), name="numbers")
kind_input = keras.Input((4,), name="kinds")
embedded = keras.layers.Flatten()(keras.layers.Embedding(50, 8)(kind_input))
joined = keras.layers.Concatenate()([keras.layers.Dense(32, activation="relu")(number_input), embedded])
hidden = keras.layers.Dropout(0.2)(keras.layers.Dense(32, activation="relu")(joined))
model = keras.Model(
    {"numbers": number_input, "kinds": kind_input},
    {
        "price": keras.layers.Dense(1, name="price")(hidden),
        "sold": keras.layers.Dense(1, activation="sigmoid", name="sold")(hidden),
    },
)
model.compile(optimizer="adam", loss={"price": "mse", "sold": "binary_crossentropy"})
model.fit(
    {"numbers": numbers, "kinds": kinds},
    {"price": price, "sold": sold},
    epochs=args.epochs,
    validation_split=0.2,
    callbacks=[
        keras.callbacks.EarlyStopping(patience=args.epochs),
        keras.callbacks.ReduceLROnPlateau(patience=3),
    ],
    verbose=0,
)
