"""Ways to train a recurrent layer that keeps its state, each after a fact of its name."""

import sys

import keras
import numpy as np
import tensorflow as tf
from nilometer import _native
from nilometer.frameworks.keras.hooks import stateful

ROWS, BATCH, STEPS = 12, 4, 3
X = np.random.default_rng(1).random((ROWS, STEPS, 2)).astype("float32")
Y = X.mean(axis=(1, 2)).reshape(ROWS, 1)
CASES = []


def case(function):
    CASES.append(function)
    return function


def make(is_stateful=True, model=None):
    layer = keras.layers.LSTM(3, stateful=is_stateful, name="memory")
    inputs = keras.Input(batch_shape=(BATCH, STEPS, 2))
    made = (model or keras.Model)(inputs, keras.layers.Dense(1)(layer(inputs)))
    made.compile("sgd", "mse")
    return made, layer


def fit(model, *callbacks, x=X, y=Y, **options):
    options = {"epochs": 3, "batch_size": BATCH, "shuffle": False, "verbose": 0, **options}
    model.fit(x, y, callbacks=list(callbacks), **options)


class Does(keras.callbacks.Callback):
    """Calls a function at one moment."""

    def __init__(self, moment, work):
        super().__init__()
        setattr(self, moment, lambda *_, **__: work())


@case
def shuffled():
    model, layer = make()
    fit(model, Does("on_epoch_begin", layer.reset_state), shuffle=True)


@case
def not_reset():
    fit(make()[0])


@case
def both():
    fit(make()[0], shuffle=True)


@case
def through_validation():
    model, layer = make()
    fit(model, Does("on_test_begin", layer.reset_state), validation_data=(X, Y))


@case
def fitted_again():
    model, _ = make()
    for _ in range(2):
        fit(model, epochs=1)


@case
def as_a_data_set():
    data = tf.data.Dataset.from_tensor_slices((X, Y)).batch(BATCH, drop_remainder=True)
    fit(make()[0], x=data, y=None, batch_size=None)


@case
def inside():
    inner = keras.Sequential([keras.layers.GRU(3, stateful=True, return_sequences=True, name="within")])
    both = keras.layers.Bidirectional(keras.layers.SimpleRNN(2, stateful=True), name="both_ways")
    model = keras.Sequential([keras.Input(batch_shape=(BATCH, STEPS, 2)), inner, both, keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    fit(model)


# From here on nothing is to be said.


@case
def stateless():
    fit(make(is_stateful=False)[0], shuffle=True, validation_data=(X, Y))


@case
def reset_at_the_begin():
    model, layer = make()
    fit(model, Does("on_epoch_begin", layer.reset_states), validation_data=(X, Y))


@case
def reset_at_the_end():
    model, layer = make()
    fit(model, Does("on_epoch_end", layer.reset_state), validation_data=(X, Y))


@case
def reset_at_the_first_batch():
    model, layer = make()
    callback = keras.callbacks.Callback()
    callback.on_train_batch_begin = lambda batch, logs=None: layer.reset_state() if batch == 0 else None
    fit(model, callback)


@case
def reset_in_each_batch():
    model, layer = make()
    fit(model, Does("on_train_batch_begin", layer.reset_state), shuffle=True)


@case
def reset_between_fits():
    model, layer = make()
    for _ in range(3):
        fit(model, epochs=1)
        layer.reset_state()


@case
def other_data_in_each_fit():
    model, _ = make()
    for turn in range(3):
        x = X + turn
        fit(model, x=x, epochs=1)


@case
def one_batch():
    model, layer = make()
    fit(model, Does("on_epoch_begin", layer.reset_state), x=X[:BATCH], y=Y[:BATCH], shuffle=True)


@case
def set_by_hand():
    model, layer = make()

    def clear():
        for state in layer.states:
            state.assign(np.zeros((BATCH, 3)))

    fit(model, Does("on_epoch_begin", clear))


@case
def first_state_given():
    layer = keras.layers.GRU(3, stateful=True)
    inputs = keras.Input(batch_shape=(BATCH, STEPS, 2))
    first = keras.layers.Dense(3)(inputs[:, 0])
    model = keras.Model(inputs, keras.layers.Dense(1)(layer(inputs, initial_state=first)))
    model.compile("sgd", "mse")
    fit(model, shuffle=True)


@case
def own_step():
    class Own(keras.Model):
        def train_step(self, data):
            self.get_layer("memory").reset_state()
            return super().train_step(data)

    fit(make(model=Own)[0], shuffle=True)


@case
def a_part_in_each_epoch():
    fit(make()[0], steps_per_epoch=1)


@case
def from_a_generator():
    def batches():
        while True:
            for first in range(0, ROWS, BATCH):
                yield X[first : first + BATCH], Y[first : first + BATCH]

    fit(make()[0], x=batches(), y=None, batch_size=None, steps_per_epoch=3)


@case
def never_fitted():
    model, _ = make()
    for _ in range(3):
        model.train_on_batch(X[:BATCH], Y[:BATCH])
        model.predict(X, batch_size=BATCH, verbose=0)


for function in CASES:
    stateful._told.clear()
    _native.fact("case", function.__name__)
    function()
print(len(CASES), file=sys.stderr)
