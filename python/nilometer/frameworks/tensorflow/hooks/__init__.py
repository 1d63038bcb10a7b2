"""What is wrapped in TensorFlow 2: the first eager operation, tracing, and calls of traced functions.

In: one module of TensorFlow that was just imported. Out: its functions wrapped.
Never: a cost for a call inside `fit`, `evaluate` or `predict` beyond one look at the thread's state.
"""

from __future__ import annotations

from nilometer.frameworks.tensorflow.hooks import retracing
from nilometer.frameworks.tensorflow.probes import add_all
from nilometer.hooks import alive, cycles, marks, passes, shapes
from nilometer.hooks.marks import begin, end, enter, leave, thread
from nilometer.hooks.wrapping import forget_frame, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any


# The last part of a module's name -> the class in it whose objects are counted, as what, but for which class.
_COUNTED = {
    "func_graph": ("FuncGraph", "func_graphs", ""),
    # Every assignment makes one of the latter, for the moment.
    "resource_variable_ops": ("BaseResourceVariable", "variables", "_UnreadVariable"),
    "dataset_ops": ("DatasetV2", "datasets", ""),
    "iterator_ops": ("OwnedIterator", "iterators", ""),
    "backprop": ("GradientTape", "tapes", ""),
}


def install(name: str, module: ModuleType) -> None:
    """Wraps what `module`, imported as `name`, has for us."""
    kind = name.rpartition(".")[2]
    if kind == "context":
        _install_first_op(module.Context)
        shapes.learn("EagerTensor", "tensorflow.", _shape)
        add_all()
    elif kind == "tracing_compilation":
        replace(module, "_create_concrete_function", _trace)
    elif kind == "polymorphic_function":
        replace(module.Function, "__call__", _call)
    elif kind == "concrete_function":
        replace(module.ConcreteFunction, "__call__", _call)
        replace(module.ConcreteFunction, "__init__", alive.wrap_init("concrete_functions"))
    elif kind == "session":
        replace(module.BaseSession, "run", _call)
    elif kind in _COUNTED:
        owner, count, unless = _COUNTED[kind]
        replace(getattr(module, owner), "__init__", alive.wrap_init(count, unless))
        if kind == "iterator_ops":
            replace(module.OwnedIterator, "__init__", passes.wrap_init)
            replace(module.OwnedIterator, "__next__", passes.wrap_next)


def _shape(tensor: Any) -> tuple[int, ...] | None:
    shape: tuple[int, ...] | None = tensor._shape_tuple()
    return shape


def _install_first_op(context: Any) -> None:
    def make(original: Any) -> Any:
        def ensure_initialized(self: Any, /, *args: Any, **kwargs: Any) -> Any:
            # Asked before every operation, and does its work once: the wrapper goes with the first time.
            context.ensure_initialized = original
            begin("first_op")
            try:
                return original(self, *args, **kwargs)
            except BaseException as error:
                forget_frame(error)
                raise
            finally:
                end("first_op")

        return ensure_initialized

    replace(context, "ensure_initialized", make)


def _trace(original: Any) -> Any:
    def create(*args: Any, **kwargs: Any) -> Any:
        alive.count("traces")
        # A function traced while another is traced is part of it.
        if thread.scope == "trace":
            try:
                return original(*args, **kwargs)
            except BaseException as error:
                forget_frame(error)
                raise
        retracing.tell(args, kwargs)
        begin("trace")
        outer = enter("trace")
        try:
            return original(*args, **kwargs)
        except BaseException as error:
            forget_frame(error)
            raise
        finally:
            leave(outer)
            end("trace")

    return create


# The first argument is the function itself.
_call = cycles.wrap_outermost(marks.CALL, "call", lambda args: shapes.see(args[1:]))
