"""Trainings of many kinds, small enough for a bench: python trainings.py MODEL BATCH.

Each is two epochs on random arrays, with a split for validation.
"""

from __future__ import annotations

import sys
from typing import Any

import keras
import numpy as np
from keras import layers

TOKENS = 20_000


def sequence(*parts: Any, optimizer: str = "adam") -> Any:
    model = keras.Sequential(list(parts))
    model.compile(optimizer, "mse")
    return model


def functional(inputs: Any, outputs: Any, optimizer: str = "adam") -> Any:
    model = keras.Model(inputs, outputs)
    model.compile(optimizer, "mse")
    return model


def conv(width: int, **words: Any) -> Any:
    return layers.Conv2D(width, 3, padding="same", **words)


def mlp() -> Any:
    parts = [layers.Dense(2048, "relu"), layers.Dense(2048, "relu"), layers.Dense(10)]
    return sequence(keras.Input((512,)), *parts), (512,), (10,)


def wide_mlp() -> Any:
    parts = [layers.Dense(1024, "gelu") for _ in range(8)]
    return sequence(keras.Input((128,)), *parts, layers.Dense(1), optimizer="sgd"), (128,), (1,)


def autoencoder() -> Any:
    parts = [layers.Dense(512, "relu"), layers.Dense(64, "relu"), layers.Dense(512, "relu")]
    return sequence(keras.Input((784,)), *parts, layers.Dense(784)), (784,), (784,)


def cnn() -> Any:
    parts: list[Any] = []
    for width in (32, 64, 128):
        parts += [conv(width), layers.BatchNormalization(), layers.ReLU(), layers.MaxPooling2D()]
    return sequence(keras.Input((64, 64, 3)), *parts, layers.Flatten(), layers.Dense(10)), (64, 64, 3), (10,)


def deep_cnn() -> Any:
    parts = [conv(width, activation="relu") for width in (32, 32, 64, 64, 64)]
    end = [layers.GlobalAveragePooling2D(), layers.Dense(10)]
    return sequence(keras.Input((32, 32, 3)), *parts, *end), (32, 32, 3), (10,)


def resnet() -> Any:
    inputs = keras.Input((32, 32, 3))
    at = conv(32)(inputs)
    for _ in range(3):
        inner = conv(32)(layers.ReLU()(layers.BatchNormalization()(at)))
        at = layers.Add()([at, conv(32)(layers.ReLU()(layers.BatchNormalization()(inner)))])
    outputs = layers.Dense(10)(layers.GlobalAveragePooling2D()(at))
    return functional(inputs, outputs, "sgd"), (32, 32, 3), (10,)


def unet() -> Any:
    inputs = keras.Input((64, 64, 1))
    up = {"strides": 2, "padding": "same", "activation": "relu"}
    first = conv(16, activation="relu")(inputs)
    second = conv(32, strides=2, activation="relu")(first)
    third = conv(64, strides=2, activation="relu")(second)
    fourth = layers.Concatenate()([layers.Conv2DTranspose(32, 3, **up)(third), second])
    fifth = layers.Concatenate()([layers.Conv2DTranspose(16, 3, **up)(fourth), first])
    return functional(inputs, layers.Conv2D(1, 1)(fifth)), (64, 64, 1), (64, 64, 1)


def lstm() -> Any:
    return sequence(keras.Input((50, 32)), layers.LSTM(128), layers.Dense(1)), (50, 32), (1,)


def gru() -> Any:
    parts = [layers.GRU(128, return_sequences=True), layers.GRU(64), layers.Dense(1)]
    return sequence(keras.Input((40, 32)), *parts), (40, 32), (1,)


def conv1d() -> Any:
    parts = [layers.Conv1D(64, 9, activation="relu"), layers.Conv1D(64, 9, activation="relu")]
    return (
        sequence(keras.Input((512, 8)), *parts, layers.GlobalMaxPooling1D(), layers.Dense(1)),
        (512, 8),
        (1,),
    )


def transformer() -> Any:
    inputs = keras.Input((64, 64))
    at = inputs
    for _ in range(2):
        at = layers.LayerNormalization()(layers.Add()([at, layers.MultiHeadAttention(4, 16)(at, at)]))
        inner = layers.Dense(64)(layers.Dense(256, "gelu")(at))
        at = layers.LayerNormalization()(layers.Add()([at, inner]))
    return functional(inputs, layers.Dense(1)(layers.GlobalAveragePooling1D()(at))), (64, 64), (1,)


def embedding() -> Any:
    parts = [layers.Embedding(TOKENS, 64), layers.GlobalAveragePooling1D(), layers.Dense(64, "relu")]
    return sequence(keras.Input((100,), dtype="int32"), *parts, layers.Dense(1)), None, (1,)


def main() -> None:
    name, batch = sys.argv[1], int(sys.argv[2])
    random = np.random.default_rng(7)
    keras.utils.set_random_seed(7)
    model, inputs, outputs = globals()[name]()
    count = max(4 * batch, 512)
    if inputs is None:
        x: Any = random.integers(0, TOKENS, (count, 100))
    else:
        x = random.normal(size=(count, *inputs)).astype("float32")
    y = random.normal(size=(count, *outputs)).astype("float32")
    model.fit(x, y, batch_size=batch, epochs=2, validation_split=0.1, verbose=0)


if __name__ == "__main__":
    main()
