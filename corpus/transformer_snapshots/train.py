"""A small transformer block on token counts; snapshots of its weights are taken for averaging."""

import sys
from collections import deque

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

VOCABULARY, LENGTH, WIDTH = 2000, 16, 64


class Block(layers.Layer):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.attention = layers.MultiHeadAttention(num_heads=2, key_dim=16)
        self.feed = layers.Dense(WIDTH, activation="gelu")
        self.norms = [layers.LayerNormalization(), layers.LayerNormalization()]

    def call(self, x):
        x = self.norms[0](x + self.attention(x, x))
        return self.norms[1](x + self.feed(x))


class Snapshots(tf.keras.callbacks.Callback):
    def __init__(self, snapshots):
        super().__init__()
        self.snapshots = snapshots

    def on_epoch_end(self, epoch, logs=None):
        self.snapshots.append(self.model.get_weights())


def main(argv):
    tf.keras.utils.set_random_seed(102)
    rng = np.random.default_rng(102)
    tokens = rng.integers(0, VOCABULARY, (512, LENGTH))
    labels = (tokens.sum(axis=1) > LENGTH * VOCABULARY / 2).astype("int32")

    model = tf.keras.Sequential(
        [
            layers.Input((LENGTH,), dtype="int32"),
            layers.Embedding(VOCABULARY, WIDTH),
            Block(),
            layers.GlobalAveragePooling1D(),
            layers.Dense(2),
        ]
    )
    model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    taken = deque(maxlen=4) if "--fixed" in argv else []
    model.fit(tokens, labels, epochs=16, batch_size=64, verbose=0, callbacks=[Snapshots(taken)])
    print(f"average of the last {min(4, len(taken))} of {len(taken)}, {model.count_params()} weights each")


if __name__ == "__main__":
    main(sys.argv[1:])
