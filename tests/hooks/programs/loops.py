"""Programs whose marks are known exactly; `loops.py NAME...` runs them in the order of this file."""

import sys
import threading

import framework
from framework import X, Y, keras, make, program


@program
def fit():
    make().fit(X, Y, epochs=3, batch_size=16, validation_data=(X, Y), verbose=0)


@program
def evaluate():
    model = make()
    for _ in range(3):
        model.evaluate(X, Y, verbose=0)


@program
def predict():
    model = make()
    for _ in range(4):
        model.predict(X, verbose=0)


@program
def predict_in_callback():
    class Predicts(keras.callbacks.Callback):
        def on_epoch_end(self, epoch, logs=None):
            self.model.predict(X, verbose=0)

    make().fit(X, Y, epochs=2, batch_size=32, validation_data=(X, Y), verbose=0, callbacks=[Predicts()])


@program
def evaluate_in_callback():
    class Evaluates(keras.callbacks.Callback):
        def on_epoch_end(self, epoch, logs=None):
            self.model.evaluate(X, Y, verbose=0)

    make().fit(X, Y, epochs=2, batch_size=32, verbose=0, callbacks=[Evaluates()])


@program
def on_batch():
    model = make()
    for _ in range(5):
        model.train_on_batch(X, Y)
    model.test_on_batch(X, Y)
    model.predict_on_batch(X)


@program
def custom():
    import tensorflow as tf

    @tf.function
    def inner(x):
        return x * 2.0

    @tf.function
    def step(x):
        return tf.reduce_sum(inner(x))

    for _ in range(7):
        step(tf.ones((3,)))
    print(step.experimental_get_tracing_count())
    concrete = step.get_concrete_function(tf.ones((3,)))
    concrete(tf.ones((3,)))


@program
def gradient():
    import tensorflow as tf

    model = make(compiled=False)
    optimizer = keras.optimizers.SGD()

    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((model(x, training=True) - y) ** 2)
        variables = model.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        return loss

    for _ in range(6):
        step(tf.constant(X), tf.constant(Y))


@program
def eager_gradient():
    import tensorflow as tf

    model = make()
    optimizer = keras.optimizers.SGD()
    for _ in range(6):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((model(X, training=True) - Y) ** 2)
        variables = model.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
    model.run_eagerly = True
    model.fit(X, Y, epochs=2, batch_size=16, verbose=0)


@program
def models():
    for _ in range(3):
        keras.backend.clear_session()
        make().fit(X, Y, verbose=0)


@program
def nested_models():
    class Block(keras.Model):
        def __init__(self):
            super().__init__()
            self.parts = keras.Sequential([keras.layers.Dense(2), keras.layers.Dense(1)])

        def call(self, x):
            return self.parts(x)

    for _ in range(2):
        model = Block()
        model.compile(loss="mse", optimizer="sgd")
        model.fit(X, Y, verbose=0)
    keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
    late = keras.Sequential([keras.layers.Dense(1)])
    late(X)


@program
def eager_calls():
    class Block(keras.Model):
        def __init__(self):
            super().__init__()
            self.first, self.second = keras.layers.Dense(3), keras.layers.Dense(1)

        def call(self, x):
            return self.second(self.first(x))

    model = make()
    late = keras.Sequential([keras.layers.Dense(2), keras.layers.Dense(1)])
    late.build((None, 4))
    inputs = keras.Input((4,))
    named = keras.Model({"x": inputs}, keras.layers.Dense(1)(inputs))
    block = Block()
    for _ in range(4):
        model(X), late(X), block(X)
    named({"x": X})
    model.fit(X, Y, epochs=2, verbose=0)
    model.predict(X, verbose=0)
    Block().build((None, 4))


@program
def passes():
    import tensorflow as tf

    data = tf.data.Dataset.from_tensor_slices((X, Y)).batch(16)
    model = make()
    optimizer = keras.optimizers.SGD()
    for _ in range(3):
        list(data)
        list(data.as_numpy_iterator())
    for _ in range(2):
        for x, y in data:
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((model(x) - y) ** 2)
            variables = model.trainable_variables
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
    model.fit(data, epochs=2, verbose=0, validation_data=data)
    model.predict(data, verbose=0)
    iterator = iter(data.map(lambda x, y: (model(x), y)))
    assert (len(list(iterator)), len(list(iterator))) == (4, 0)


@program
def session():
    import tensorflow.compat.v1 as tf

    tf.disable_eager_execution()
    given = tf.placeholder(tf.float32, (None,))
    more = tf.Variable(1.0) + given
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(5):
            session.run(more, {given: [1.0]})


@program
def by_hand():
    import nilometer

    @nilometer.phase("work")
    def work(turn):
        return turn

    assert work.__name__ == "work"
    for turn in range(3):
        with nilometer.phase("load"):
            pass
        work(turn)
        nilometer.cycle()
    nilometer.cycle("request")


@program
def raises_in_callback():
    class Raises(keras.callbacks.Callback):
        def on_epoch_end(self, epoch, logs=None):
            if epoch == 1:
                raise ValueError("from the callback")

    make().fit(X, Y, epochs=3, verbose=0, callbacks=[Raises()])


@program
def interrupted():
    class Interrupts(keras.callbacks.Callback):
        def on_train_batch_end(self, batch, logs=None):
            raise KeyboardInterrupt

    try:
        make().fit(X, Y, epochs=3, verbose=0, callbacks=[Interrupts()])
    except KeyboardInterrupt:
        print("caught")
    make().fit(X, Y, epochs=2, verbose=0)


@program
def workers():
    import multiprocessing

    base = keras.utils.PyDataset if hasattr(keras.utils, "PyDataset") else keras.utils.Sequence
    new = hasattr(keras.utils, "PyDataset")

    class Batches(base):
        def __init__(self, **kwargs):
            if new:
                super().__init__(**kwargs)

        def __len__(self):
            return 4

        def __getitem__(self, index):
            return X[:8], Y[:8]

    options = dict(workers=2, use_multiprocessing=True)
    if new:
        make().fit(Batches(**options), epochs=2, verbose=0)
    else:
        make().fit(Batches(), epochs=2, verbose=0, **options)
    own = multiprocessing.get_context("fork").Process(target=print, name="my helper")
    own.start()
    own.join()


@program
def two_threads():
    both = threading.Barrier(2)

    def serve():
        model = make()
        both.wait()
        for _ in range(3):
            model.predict(X, verbose=0)

    threads = [threading.Thread(target=serve) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@program
def sequential_fits():
    """A loop over one model; the second fit must look like the first."""
    model = make()
    for _ in range(2):
        model.fit(X, Y, verbose=0)


@program
def facts():
    make()
    print(sys.modules[framework.keras.Model.__module__.partition(".")[0]].__version__)
