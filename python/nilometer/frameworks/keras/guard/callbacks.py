"""What Keras' own callbacks know: best values, epochs waited, the history.

In: the callbacks of a `fit`. Out: plain values, and the callbacks set from them.
Never: a callback of the program's own changed: what it knows is its own, and it begins anew.
"""

from __future__ import annotations

from nilometer.guard import values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

# What changes while a callback works; what its maker gave it is the program's to say.
_STATE = {
    "History": ("history", "epoch"),
    "EarlyStopping": ("wait", "best", "best_epoch", "best_weights", "stopped_epoch"),
    "ReduceLROnPlateau": ("wait", "best", "cooldown_counter"),
    "ModelCheckpoint": ("best", "epochs_since_last_save", "_batches_seen_since_last_saving"),
}


def get(callbacks: list[Any]) -> list[Any]:
    """The state of each, with its class and its place among those of that class."""
    states = []
    for name, number, callback in _own(callbacks):
        found = {one: vars(callback)[one] for one in _STATE.get(name, ()) if one in vars(callback)}
        states.append([name, number, {one: value for one, value in found.items() if values.can_hold(value)}])
    return states


def put(callbacks: list[Any], states: list[Any]) -> None:
    """Sets the state of each that was there before."""
    known = {(name, number): state for name, number, state in states}
    for name, number, callback in _own(callbacks):
        vars(callback).update(known.get((name, number), {}))


def keep_files(callbacks: list[Any]) -> None:
    """Before a training goes on: what was logged so far must not be begun anew."""
    for name, _, callback in _own(callbacks):
        if name == "CSVLogger":
            callback.append = True


def backs_up(callbacks: list[Any]) -> bool:
    """Whether one of them has saved the weights when an epoch ends, and sets them itself (Keras 3)."""
    return any(
        name == "BackupAndRestore"
        and getattr(callback, "save_freq", None) == "epoch"
        and hasattr(callback, "_weights_path")
        for name, _, callback in _own(callbacks)
    )


def others(callbacks: list[Any]) -> list[str]:
    """Classes of the program's own callbacks."""
    return sorted({type(one).__name__ for one in callbacks if not _is_own(type(one))})


def _own(callbacks: list[Any]) -> Iterator[tuple[str, int, Any]]:
    counts: dict[str, int] = {}
    for callback in callbacks:
        kind = next((one for one in type(callback).__mro__ if _is_own(one)), None)
        if kind is None or kind.__name__ == "Callback":
            continue
        number = counts[kind.__name__] = counts.get(kind.__name__, -1) + 1
        yield kind.__name__, number, callback


def _is_own(kind: type) -> bool:
    return kind.__module__.split(".", 1)[0] in ("keras", "tf_keras")
