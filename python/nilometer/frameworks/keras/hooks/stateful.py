"""Whether a recurrent layer that keeps its state between batches is trained from states that are not its own.

In: what a `fit` of Keras 3 trains, where its epochs begin and end, and each `reset_state`. Out: facts
`stateful.*`, each said once: samples are shuffled between the batches, or an epoch begins with the state
that the one before left.
Never: a reference to the program's data that keeps it; anything said of a layer whose state the program
handles in a way that is not understood; a state read more than three times at the end of an epoch.
"""

from __future__ import annotations

import sys
from _weakref import ref

from nilometer import _native
from nilometer.frameworks.keras.hooks import stateful_layers
from nilometer.hooks.marks import thread
from nilometer.hooks.origin import user_line
from nilometer.hooks.wrapping import forget_frame

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# The ends of epochs at which a state is read: two tell, and after three nothing new is learnt.
_LOOKS = 3
_LONGEST_NAME = 60
_ARRAYS = "ArrayDataAdapter"
# What begins anew with each epoch: a generator or a `PyDataset` may go on where it was.
_RESTARTING = frozenset((_ARRAYS, "TFDatasetAdapter"))

_told: set[str] = set()


class _Life:
    """What is known of a stateful layer, from one `fit` to the next."""

    def __init__(self, layer: Any) -> None:
        self.layer = ref(layer, _gone(id(layer)))
        self.resets = 0
        self.in_graph = False  # it is reset by a step of the program's own: nothing is known of when
        self.looks = 0
        # The state in which the last epoch left it, how often it had been reset then, in which `fit` of which
        # data, and whether validation was part of it.
        self.left: int | None = None
        self.resets_then = 0
        self.fit: object = None
        self.data: ref[Any] | None = None
        self.validated = False
        # How often it had been reset when this epoch began; and whether it began with that state.
        self.begun = 0
        self.carried = False


_lives: dict[int, _Life] = {}


def _gone(key: int) -> Any:
    lives = _lives
    return lambda _: lives.pop(key, None)


def _life(layer: Any) -> _Life:
    life = _lives.get(id(layer))
    if life is None or life.layer() is not layer:
        life = _lives[id(layer)] = _Life(layer)
    return life


class _Watch:
    """One `fit` of a model that has stateful layers."""

    def __init__(self, layers: list[Any], data: Any, place: tuple[str, int]) -> None:
        self.lives = [_life(layer) for layer in layers]
        self.fit = object()
        self.data = data
        self.place = place
        self.adapter: str | None = None
        self.shuffled_batches = 0
        self.restarts = False
        self.begun = False  # an epoch has, and its batches are not over
        self.validated = False


def enter(model: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Begins a `fit`; what it returns is to be given to `leave`."""
    outer = thread.stateful
    thread.stateful = None
    try:
        layers = stateful_layers.find(model)
        if layers and stateful_layers.trains_as_keras(model):
            place = user_line(sys._getframe(1))
            thread.stateful = _Watch(layers, _weak(args[0] if args else kwargs.get("x")), place)
    except Exception as error:
        _native.lost(f"stateful layers: {type(error).__name__}")
    return outer


def leave(outer: Any) -> None:
    """Ends it."""
    thread.stateful = outer


def count_resets(original: Any) -> Any:
    """A wrapper of `reset_state` that counts its calls."""

    def reset_state(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        try:
            result = original(self, *args, **kwargs)
        except BaseException as error:
            forget_frame(error)
            raise
        try:
            life = _life(self)
            life.resets += 1
            life.in_graph = life.in_graph or not stateful_layers.is_eager()
        except Exception as error:
            _native.lost(f"resets of states: {type(error).__name__}")
        return result

    return reset_state


def see_data(iterator: Any) -> None:
    """Notes how the data of `fit` comes: its first iterator is the one it trains from."""
    watch = thread.stateful
    if watch is None or watch.adapter is not None:
        return
    try:
        known = vars(iterator)
        adapter = known.get("data_adapter")
        watch.adapter = type(adapter).__name__
        watch.restarts = watch.adapter in _RESTARTING and known.get("steps_per_epoch") is None
        if watch.adapter == _ARRAYS and vars(adapter).get("_shuffle"):
            watch.shuffled_batches = vars(adapter).get("_size", 0)
    except Exception as error:
        _fail(error)


def epoch_begins() -> None:
    """An epoch's batches come next: the program's callbacks have been called."""
    watch = thread.stateful
    try:
        for life in watch.lives:
            life.begun = life.resets
            again = life.fit is watch.fit or _is_same(life.data, watch.data)
            kept = life.left is not None and life.resets == life.resets_then and watch.restarts
            life.carried = kept and again and stateful_layers.state(life.layer()) == life.left
        watch.begun, watch.validated = True, False
    except Exception as error:
        _fail(error)


def validation_begins() -> None:
    """The batches of an epoch are over, and those of validation come."""
    thread.stateful.validated = True
    trained()


def trained() -> None:
    """The batches of an epoch are over: what the program does to the state from here on is for the next."""
    watch = thread.stateful
    try:
        if not watch.begun:
            return
        watch.begun = False
        known = [life for life in watch.lives if _is_known(life)]
        between = watch.shuffled_batches - 1
        _tell("shuffled", watch, [life for life in known if life.resets - life.begun < between])
        carried = [life for life in known if life.carried and life.resets == life.begun]
        if any(life.validated for life in carried):
            _tell("validated", watch, carried)
        else:
            _tell("carried", watch, carried)
    except Exception as error:
        _fail(error)


def epoch_ends() -> None:
    """An epoch and its validation are over, and the program's callbacks are not called yet."""
    trained()
    watch = thread.stateful
    if watch is None:
        return
    try:
        for life in watch.lives:
            life.left = None
            if watch.restarts and life.looks < _LOOKS:
                life.looks += 1
                life.left, life.resets_then = stateful_layers.state(life.layer()), life.resets
                life.fit, life.data, life.validated = watch.fit, watch.data, watch.validated
    except Exception as error:
        _fail(error)


def _fail(error: Exception) -> None:
    thread.stateful = None
    _native.lost(f"stateful layers: {type(error).__name__}")


def _tell(what: str, watch: _Watch, lives: list[_Life]) -> None:
    if not lives or what in _told:
        return
    _told.add(what)
    layers = [layer for life in lives if (layer := life.layer()) is not None]
    names = [name[:_LONGEST_NAME] for layer in layers if type(name := vars(layer).get("name")) is str]
    file, line = watch.place
    if file:
        _native.fact(f"stateful.{what}.at", f"{file}:{line}")
    _native.fact(f"stateful.{what}", ", ".join(names) or "a layer")


def _is_known(life: _Life) -> bool:
    layer = life.layer()
    return layer is not None and not life.in_graph and stateful_layers.keeps_its_own(layer)


def _weak(data: Any) -> Any:
    try:
        return ref(data)
    except TypeError:
        return None


def _is_same(one: Any, other: Any) -> bool:
    """Whether both are of the same data, which is still there."""
    if one is None or other is None:
        return False
    data = one()
    return data is not None and data is other()
