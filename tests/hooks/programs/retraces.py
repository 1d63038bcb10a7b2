"""Programs whose traces, and the reasons for them, are known exactly; `retraces.py NAME` runs one."""

import gc
import sys

from framework import X, Y, keras, make, program

# Look after every cycle, whatever it costs: the counts are then exact.
hooks = sys.modules.get("nilometer.hooks.probes")
if hooks is not None:
    hooks._TIME_DIVISOR = 0


def scalars():
    import tensorflow as tf

    @tf.function
    def step(x, step):
        return x * step

    for turn in range(20):
        step(tf.ones((2,)), turn)


def kinds():
    """One function, a different reason each time."""
    import collections

    import tensorflow as tf

    pair = collections.namedtuple("pair", "a b")

    class Thing:
        def __repr__(self):
            raise AssertionError("asked for its words")

        __hash__ = object.__hash__

    @tf.function
    def work(x, y=None, flag=True):
        return tf.constant(1)

    ones = tf.ones
    work(ones((32, 4)))
    work(ones((31, 4)))
    work(ones((31, 4), tf.float64))
    work(ones((31, 4), tf.float64), 1.5)
    work(ones((31, 4), tf.float64), "word" * 100)
    work(ones((31, 4), tf.float64), ones(()))
    work([ones(1), ones(1)], ones(()))
    work([ones(1), ones(1), ones(1)], ones(()))
    work([ones(1), ones(1), ones(2)], ones(()))
    work({"image": ones(1), "label": ones(1)}, ones(()))
    work({"image": ones(2), "label": ones(2)}, ones(()), False)
    work(pair(ones(2), ones(2)), ones(()), False)
    work(pair(ones(2), ones(3)), ones(()), False)
    things = [Thing(), Thing()]
    work(things[0])
    work(things[1])
    with tf.Graph().as_default():
        work(things[1])


def fresh():
    """Functions made anew."""
    import tensorflow as tf

    class Model(tf.Module):
        @tf.function
        def call(self, x):
            return x

    def same(x):
        return x

    x = tf.ones((2,))
    for _ in range(3):
        tf.function(lambda x: x + 1)(x)
    for _ in range(3):

        @tf.function
        def inner(x):
            return x

        inner(x)
    for _ in range(3):
        tf.function(same)(x)
    for _ in range(3):
        Model().call(x)
    for turn in range(3):
        tf.data.Dataset.range(3).map(lambda v, turn=turn: v * turn)


def toggled():
    import tensorflow as tf

    @tf.function
    def toggles(x):
        return x

    for turn in range(6):
        tf.config.run_functions_eagerly(turn % 2 == 1)
        toggles(tf.ones((2,)))
    tf.config.run_functions_eagerly(False)


def variables():
    """The first call traces twice where it makes variables."""
    import tensorflow as tf

    class Once:
        made = None

        @tf.function
        def __call__(self, x):
            if self.made is None:
                self.made = tf.Variable(1.0)
            return x * self.made

    once = Once()
    once(tf.ones((2,)))
    once(tf.ones((3,)))


@program
def reasons():
    """All of the above in one process: TensorFlow takes longer to come than to trace."""
    for show in (scalars, kinds, fresh, toggled, variables):
        show()


@program
def healthy():
    make().fit(X, Y, epochs=4, batch_size=16, validation_data=(X, Y), verbose=0)


@program
def models():
    """A new model each time."""
    import nilometer

    for _ in range(5):
        keras.backend.clear_session()
        make().fit(X, Y, verbose=0)
        gc.collect()
        nilometer.cycle()


@program
def shapes():
    model = make()
    for rows in (5, 6, 7, 5, 6, 64):
        model.predict_on_batch(X[:rows])
