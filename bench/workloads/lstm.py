"""An LSTM on short sequences from tf.data: many small operations per step."""

import time

import keras
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(3)
rng = np.random.default_rng(3)
x = rng.random((2_048, 30, 16)).astype("float32")
y = x.sum(axis=(1, 2))[:, None]
dataset = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(1_024).batch(32).prefetch(tf.data.AUTOTUNE)

model = keras.Sequential(
    [
        keras.layers.Input((30, 16)),
        # TensorFlow's own loop, as with any option that the fused kernel does not know.
        keras.layers.LSTM(48, use_cudnn=False),
        keras.layers.Dense(1),
    ]
)
model.compile(optimizer="adam", loss="mse")
began = time.process_time()
model.fit(dataset, epochs=8, verbose=0)
print(f"training {time.process_time() - began:.3f}")
