"""One fit under the guard: goes on where it was, watches its epochs, saves and leaves.

In: the model, its callbacks, ends of epochs. Out: training that goes on, or a checkpoint and the end of the
program.
Never: a fit that begins at its first epoch although a checkpoint was asked for, without a word.
"""

from __future__ import annotations

import time

from nilometer import _native
from nilometer.frameworks.keras.guard import callbacks, randomness, together, variables
from nilometer.guard import leaving, said, store, values, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from nilometer.guard.policy import Policy

# Exit code of a program that the guard refuses.
REFUSED = 2


class Training:
    """The so-many-th fit of the program."""

    def __init__(self, number: int, model: Any, policy: Policy, before: dict[str, Any] | None) -> None:
        self.number = number
        self.list: Any = None
        self._model = model
        self._policy = policy
        self._before = before if before is not None and before.get("kind") == "fit" else None
        self._done = 0  # epochs, counted from the fit's first
        self._why: str | None = None
        self._reserve: int | None = None
        self._is_off = False

    @property
    def _resumes(self) -> bool:
        return self._before is not None and self._before["fit"] == self.number

    def arguments(
        self, fit: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """What `fit` is to be called with: where it goes on, from the epoch that comes next."""
        if self._before is None:
            return args, kwargs
        if not self._resumes:
            if self.number < self._before["fit"]:
                said.say(words.runs_again(self.number))
            return args, kwargs
        import inspect

        bound = inspect.signature(fit).bind(*args, **kwargs)
        bound.arguments["initial_epoch"] = self._before["epoch"]
        return bound.args, bound.kwargs

    def takes(self, callback_list: Any) -> bool:
        """Whether this list is the fit's own; callbacks may make lists of theirs."""
        if self.list is None:
            self.list = callback_list
        return self.list is callback_list

    @property
    def _callbacks(self) -> list[Any]:
        return list(self.list.callbacks)

    def begins(self) -> None:
        """Before any callback hears that training begins."""
        tied = together.trains_with(self._model)
        if tied is not None:
            said.say(words.trains_together(tied))
            raise SystemExit(REFUSED)
        if self._resumes:
            callbacks.keep_files(self._callbacks)

    def has_begun(self) -> None:
        """After all callbacks have heard it: they have set themselves back."""
        if self._resumes:
            self._go_on()

    def _go_on(self) -> None:
        before = self._before or {}
        folder = store.place(self._policy.settings.folder, before)
        own = variables.signature(self._model)
        if own and before["model"] and own != before["model"]:
            _refuse(words.other_model(self.number, folder))
        begins_at = getattr(self._model, "_initial_epoch", None)
        if before["weights"] == "backup" and begins_at != before["epoch"]:
            _refuse(words.no_backup(folder, before["epoch"]))
        if begins_at is not None:
            # BackupAndRestore has set it, and it goes before the argument of `fit`.
            self._model._initial_epoch = before["epoch"]
        try:
            if before["weights"] == "own":
                variables.load(self._model, folder)
            callbacks.put(self._callbacks, values.read(folder, "callbacks"))
            randomness.put(self._model, values.read(folder, "random"))
        except Exception as error:
            _refuse(words.does_not_fit(folder, error))
        self._done = before["epoch"]
        said.say(words.goes_on(self._done, folder))
        others = callbacks.others(self._callbacks)
        if others:
            said.say(words.begin_anew(others))

    def epoch_ended(self, epoch: int) -> None:
        """After all callbacks have heard that this epoch, counted from 0, has ended."""
        self._done = epoch + 1
        epochs = self._epochs
        goes_on = not getattr(self._model, "stop_training", False) and (epochs is None or self._done < epochs)
        if self._is_off:
            return
        if self._reserve is None and goes_on:
            self._try_saving()
        reserve = self._policy.reserve(0) if self._reserve is None else self._reserve
        # A fit that ends here anyway needs no stop.
        self._why = self._policy.epoch_ended(reserve, goes_on)

    def epoch_begins(self) -> None:
        """Before any callback hears that the next epoch begins: nothing of it has happened yet."""
        if self._why is not None and not self._is_off:
            self._stop(self._why)

    def _try_saving(self) -> None:
        """Saves once for nothing: it tells what saving takes, and that the disk has room."""
        policy = self._policy
        largest = variables.largest(self._model)
        if policy.settings.reserve is None and policy.measured is None:
            before = policy.watch.resident()
            began = time.monotonic()
            try:
                size = store.trial(policy.settings.folder, policy.settings.attempt, self._fill)
            except Exception as error:
                self._go_without(words.CANNOT_SAVE, error)
                return
            took = time.monotonic() - began
            after = policy.watch.resident()
            # The kernel keeps the highest peak only: where saving stayed below an earlier one it is not seen.
            rose = bool(before and after and after[1] > before[1])
            policy.measured = after[1] - before[0] if rose and before and after else 0
            said.say(words.saving_takes(size, took, policy.reserve(largest)))
        self._reserve = policy.reserve(largest)
        _native.fact("guard.reserve", str(self._reserve))

    def _stop(self, why: str) -> None:
        settings = self._policy.settings
        about = {
            "kind": "fit",
            "fit": self.number,
            "epoch": self._done,
            "epochs": self._epochs,
            "model": variables.signature(self._model),
            "weights": "backup" if callbacks.backs_up(self._callbacks) else "own",
            "why": why,
        }
        try:
            store.write(settings.folder, settings.attempt, about, self._fill)
        except Exception as error:
            self._go_without(words.cannot_save_now(why), error)
            return
        _native.fact("guard.stopped", f"fit {self.number}, epoch {self._done}")
        said.say(words.last_epoch(self._done, why))
        leaving.leave()

    def _fill(self, folder: str) -> None:
        if not callbacks.backs_up(self._callbacks):
            variables.save(self._model, folder)
        values.write(folder, "callbacks", callbacks.get(self._callbacks))
        values.write(folder, "random", randomness.get(self._model))

    def _go_without(self, what: str, error: Exception) -> None:
        self._is_off = True
        said.say(words.goes_without(what, error))

    @property
    def _epochs(self) -> int | None:
        epochs = (getattr(self.list, "params", None) or {}).get("epochs")
        return epochs if isinstance(epochs, int) else None


def _refuse(why: str) -> None:
    said.say(words.refused(why))
    raise SystemExit(REFUSED)
