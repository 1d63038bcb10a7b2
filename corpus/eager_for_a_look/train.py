import argparse

import keras
import numpy as np
import tensorflow as tf

# After each stage one batch runs eagerly to look at the numbers; the switch makes Keras build its step anew.
parser = argparse.ArgumentParser()
parser.add_argument("--stages", type=int, default=16)
parser.add_argument("--fixed", action="store_true", help="looks are taken by calling the model")
args = parser.parse_args()

keras.utils.set_random_seed(147)
rng = np.random.default_rng(147)
x = rng.random((200, 9), dtype="float32")
y = (x.sum(axis=1) > 4.5).astype("float32")

inputs = keras.Input((9,))
model = keras.Model(inputs, keras.layers.Dense(1, "sigmoid")(keras.layers.Dense(10, "relu")(inputs)))
model.compile("adam", "binary_crossentropy")

looks = []
for _ in range(args.stages):
    model.fit(x, y, epochs=2, batch_size=40, verbose=0)
    if args.fixed:
        looks.append(float(tf.reduce_mean(model(x))))
    else:
        tf.config.run_functions_eagerly(True)
        model.make_train_function(force=True)
        looks.append(float(model.train_on_batch(x[:40], y[:40])))
        tf.config.run_functions_eagerly(False)
        model.make_train_function(force=True)
print(f"{len(looks)} looks")
