"""Says what a program can find out about its framework: the same with the hooks and without."""

import contextlib
import copy
import dataclasses
import gc
import inspect
import io
import pickle
import sys
import tempfile
import traceback
import warnings
import weakref

from framework import X, Y, keras, make, program


@program
def faces():
    """Signatures, names, documentation, sources, loaders."""
    from tensorflow.python.data.ops import dataset_ops, iterator_ops
    from tensorflow.python.eager import backprop, context
    from tensorflow.python.eager.polymorphic_function import concrete_function, polymorphic_function
    from tensorflow.python.framework import func_graph
    from tensorflow.python.ops import resource_variable_ops

    counted = [
        func_graph.FuncGraph,
        concrete_function.ConcreteFunction,
        dataset_ops.DatasetV2,
        iterator_ops.OwnedIterator,
        backprop.GradientTape,
        resource_variable_ops.BaseResourceVariable,
    ]
    for kind in counted:
        print(kind.__mro__, inspect.signature(kind), sorted(vars(kind)), kind.__init__.__doc__)
    model = keras.Model
    functions = [
        model.fit, model.evaluate, model.predict,
        model.train_on_batch, model.test_on_batch, model.predict_on_batch, model.__new__,
        keras.layers.Layer._maybe_build, keras.backend.clear_session,
        keras.callbacks.CallbackList.on_epoch_end, keras.callbacks.CallbackList.on_train_batch_begin,
        polymorphic_function.Function.__call__, concrete_function.ConcreteFunction.__call__,
        context.Context.ensure_initialized, keras.layers.Layer.__call__, iterator_ops.OwnedIterator.__next__,
    ]  # fmt: skip
    for function in functions:
        print(
            function.__module__,
            function.__qualname__,
            inspect.signature(function),
            len(function.__doc__ or ""),
        )
        print(inspect.getsourcefile(inspect.unwrap(function)).rpartition("/")[2], pickle.dumps(function)[:40])
    print(inspect.signature(keras.Model), inspect.signature(keras.Sequential), keras.Model.__mro__)
    print(type(vars(model)["__new__"]), sorted(vars(keras.callbacks.CallbackList)))
    for name in sorted(sys.modules):
        if name.startswith(("keras", "tf_keras", "tensorflow.python.eager")):
            module = sys.modules[name]
            loader = getattr(module, "__loader__", None)
            if isinstance(vars(module).get("__loader__"), object) and hasattr(loader, "__dict__"):
                print(name, type(loader).__name__, sorted(vars(loader)))


@program
def copies():
    """Models are saved, pickled and copied as ever."""
    keras.utils.set_random_seed(1)
    model = make()
    model.fit(X, Y, verbose=0)
    print(sorted(vars(model)), model.get_config().keys())
    makers = (lambda: pickle.loads(pickle.dumps(model)), lambda: copy.deepcopy(model))
    for make_copy in (*makers, lambda: keras.models.clone_model(model)):
        try:
            copied = make_copy()
        except (AttributeError, ValueError) as error:  # Keras 3.0 can neither pickle nor copy a model
            print(error)
            continue
        print(type(copied), sorted(vars(copied)), len(copied.layers))
    with tempfile.TemporaryDirectory() as folder:
        model.save(folder + "/model.keras")
        print(keras.models.load_model(folder + "/model.keras").predict(X, verbose=0).tolist())
    try:
        import cloudpickle
    except ImportError:
        return
    kept = cloudpickle.dumps(keras.callbacks.CallbackList.on_epoch_end)
    print(len(kept), pickle.loads(cloudpickle.dumps(model)).get_config() == model.get_config())


class Silent(keras.callbacks.Callback):
    """Raises or warns where it is told to."""

    def __init__(self, moment, action):
        super().__init__()
        setattr(self, moment, lambda *args, **kwargs: action())


@dataclasses.dataclass(frozen=True)
class Frozen(Exception):
    """An exception that cannot be assigned to."""

    word: str


@program
def tracebacks():
    """An exception leaves with the traceback it would have had."""

    def raises():
        raise LookupError("no")

    def raises_frozen():
        raise Frozen("no")

    moments = ("on_train_begin", "on_epoch_begin", "on_epoch_end", "on_train_batch_begin",
               "on_train_batch_end", "on_test_begin", "on_test_end", "on_predict_begin")  # fmt: skip
    model = make()
    for moment in moments:
        try:
            model.fit(X, Y, validation_data=(X, Y), verbose=0, callbacks=[Silent(moment, raises)])
            model.predict(X, verbose=0, callbacks=[Silent(moment, raises)])
        except LookupError:
            traceback.print_exc()
    for wrong in (
        lambda: model.fit(X, Y, verbose=0, callbacks=[Silent("on_epoch_end", raises_frozen)]),
        lambda: model.fit(nonsense=1),
        lambda: model.fit(),
        lambda: model.predict(),
        lambda: model.evaluate(X, Y[:3], verbose=0),
        lambda: model.train_on_batch(X[:, :1], Y),
        lambda: model.predict_on_batch(),
        lambda: keras.Model(1, 2, 3, 4),
        lambda: keras.backend.clear_session(nonsense=1),
        lambda: keras.layers.Dense(2)("word"),
    ):
        try:
            wrong()
        except Exception:
            # Addresses and uids in messages differ from run to run.
            traceback.print_tb(sys.exc_info()[2])
            print(sys.exc_info()[0])
    model.fit(X, Y, verbose=0, callbacks=[Silent("on_epoch_end", raises)])


@program
def functions():
    """tf.function: results, traces, errors, nesting, methods, gradients, saved models."""
    import tensorflow as tf

    traced = []

    @tf.function
    def inner(x, scale=2.0):
        traced.append("inner")
        return x * scale

    class Thing(tf.Module):
        @tf.function
        def method(self, x):
            traced.append("method")
            if tf.reduce_sum(x) > 0:
                return inner(x)
            return inner(x, scale=3.0)

    @tf.function
    def fails(x):
        return tf.debugging.assert_equal(x, x + 1)

    thing = Thing()
    for _ in range(3):
        print(thing.method(tf.ones((2,))).numpy(), thing.method(-tf.ones((3,))).numpy())
    print(thing.method.experimental_get_tracing_count(), inner.experimental_get_tracing_count(), traced)
    print(inspect.signature(inner), inner.__name__, thing.method.pretty_printed_concrete_signatures())
    with tf.GradientTape() as tape:
        x = tf.Variable([1.0, 2.0])
        y = inner(inner(x))
    print(tape.gradient(y, x).numpy())
    for wrong in (lambda: inner(), lambda: inner(1, 2, 3), lambda: fails(tf.ones(())), lambda: inner("a")):
        try:
            wrong()
        except Exception:
            # Where and what; messages hold the stack of the node in graph mode.
            traceback.print_tb(sys.exc_info()[2])
            print(sys.exc_info()[0])
    concrete = inner.get_concrete_function(tf.TensorSpec((None,)))
    print(concrete(tf.ones((4,))).numpy(), concrete.pretty_printed_signature())
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(thing, folder, signatures=thing.method.get_concrete_function(tf.TensorSpec((2,))))
        loaded = tf.saved_model.load(folder)
        print(loaded.method(tf.ones((2,))).numpy(), loaded.signatures["serving_default"](tf.ones((2,))))
    print([int(v) for v in tf.data.Dataset.range(3).map(lambda v: v * 2)])
    tf.config.run_functions_eagerly(True)
    print(inner(tf.ones((1,))).numpy(), len(traced))
    tf.config.run_functions_eagerly(False)


@program
def released():
    """Nothing the hooks saw is kept alive by them."""
    gone = []

    class Watches(keras.callbacks.Callback):
        def on_epoch_end(self, epoch, logs=None):
            gone.append(weakref.ref(self))

    import tensorflow as tf

    @tf.function
    def double(x):
        return x * 2

    variable, dataset = tf.Variable([1.0, 2.0]), tf.data.Dataset.range(3).map(lambda v: v + 1)
    iterator = iter(dataset)
    with tf.GradientTape() as tape:
        variable.assign_add(double(variable))
    made = [variable, dataset, iterator, tape, double, double.get_concrete_function(tf.ones(2))]
    made.append(made[-1].graph)
    print([type(thing).__name__ for thing in made], [sorted(vars(thing)) for thing in made[:3]])
    print(copy.deepcopy(variable).numpy(), isinstance(variable, tf.Variable), next(iterator).numpy())
    gone += [weakref.ref(thing) for thing in made]
    del variable, dataset, iterator, tape, double, made

    model = make()
    data = X.copy()
    gone += [weakref.ref(model), weakref.ref(data)]
    model.fit(data, Y, verbose=0, callbacks=[Watches()])
    with contextlib.suppress(ZeroDivisionError):
        model.fit(data, Y, verbose=0, callbacks=[Silent("on_epoch_end", lambda: 1 / 0)])
    before = len(gc.callbacks)
    del model, data
    keras.backend.clear_session()
    for _ in range(3):
        gc.collect()
    print([reference() is None for reference in gone], before)


@program
def warned():
    """A callback's warning names the line it would have named."""
    out = io.StringIO()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        callback = Silent("on_epoch_end", lambda: warnings.warn("w", stacklevel=2))
        make().fit(X, Y, verbose=0, callbacks=[callback])
    for warning in caught:
        if str(warning.message) == "w":
            print(warning.filename, warning.lineno, file=out)
    print(out.getvalue())
